import type { Header } from './header.ts';
import { useLocale } from './locale.tsx';
import { Mark } from './mark.tsx';
import { HOME, peoplePath, SIGN_OUT, WEBHOOKS } from './paths.ts';
import { WhoLink } from './who-link.tsx';

interface AppHeaderProps {
  readonly header: Header;
  /** Which of its links the page belongs to. */
  readonly current?: 'websites' | 'webhooks' | 'people' | undefined;
}

/** The head of every page of somebody who is signed in. */
export function AppHeader({ header, current }: AppHeaderProps) {
  const { owner } = useLocale().words;
  const [account] = header.owned;
  const links = [
    ['websites', HOME, owner.websites],
    ['webhooks', header.hasWebhooks ? WEBHOOKS : undefined, owner.webhooks],
    ['people', account === undefined ? undefined : peoplePath(account), owner.people],
  ] as const;
  return (
    <header class="app-header">
      <a class="mark" href={HOME} aria-label="Hitherto">
        <Mark />
      </a>
      <nav aria-label={owner.main}>
        {links.map(
          ([name, href, text]) =>
            href !== undefined && (
              <a key={name} href={href} aria-current={name === current ? 'page' : undefined}>
                {text}
              </a>
            ),
        )}
      </nav>
      <div class="me">
        <WhoLink who={header.who} />
        <form method="post" action={SIGN_OUT}>
          <button class="plain" type="submit">
            {owner.signOut}
          </button>
        </form>
      </div>
    </header>
  );
}
