import type { ComponentChildren } from 'preact';
import { Frame } from '../shared/page.tsx';
import { HOME, peoplePath, SIGN_OUT, WEBHOOKS } from '../shared/paths.ts';
import { WhoLink } from '../shared/who-link.tsx';
import type { Header } from './header.ts';

interface OwnerFrameProps {
  readonly header: Header;
  readonly title: string;
  readonly canCopy?: boolean;
  readonly hasImports?: boolean;
  readonly hasPasskeys?: boolean;
  readonly children: ComponentChildren;
}

/** The document around the pages of somebody who is signed in. */
export function OwnerFrame({ header, title, children, ...scripts }: OwnerFrameProps) {
  return (
    <Frame title={`${title} · Hitherto`} {...scripts}>
      <header class="owner-header">
        <a class="brand" href={HOME}>
          Hitherto
        </a>
        <nav aria-label="Account">
          <a href={HOME}>Websites</a>
          {header.hasWebhooks && <a href={WEBHOOKS}>Webhooks</a>}
          {header.owned[0] !== undefined && <a href={peoplePath(header.owned[0])}>People</a>}
        </nav>
        <WhoLink who={header.who} />
        <form method="post" action={SIGN_OUT}>
          <button class="plain" type="submit">
            Sign out
          </button>
        </form>
      </header>
      <main class="owner">{children}</main>
      <footer class="notes">
        <p>Hitherto {header.version}</p>
      </footer>
    </Frame>
  );
}

/** Says why the forms of a page do nothing. */
export function ReadOnlyNotice({ canWrite }: { readonly canWrite: boolean }) {
  if (canWrite) return null;
  return <p class="notice">You are signed in with a read-only key, so you cannot change anything.</p>;
}
