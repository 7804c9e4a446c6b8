import { formatAddress } from '@hitherto/domain/format';
import type { WebsiteName } from '@hitherto/domain/websites';
import type { ComponentChildren } from 'preact';
import { useLocale } from './locale.tsx';
import { HOME } from './paths.ts';

/** How many websites the menu offers; the list of websites has all. */
export const MAX_SWITCHED = 50;

export type SwitcherWebsite = Pick<WebsiteName, 'id' | 'url'>;

interface WebsiteSwitcherProps {
  readonly others: readonly SwitcherWebsite[];
  /** The same page of another website. */
  readonly hrefOf: (id: string) => string;
  /** The name of the website. */
  readonly children: ComponentChildren;
}

/** The name of a website, and a menu of others. */
export function WebsiteSwitcher({ others, hrefOf, children }: WebsiteSwitcherProps) {
  const { owner } = useLocale().words;
  if (others.length === 0) return <>{children}</>;
  return (
    <div class="switcher">
      {children}
      <details class="menu" name="menu">
        <summary aria-label={owner.otherWebsites} />
        <nav aria-label={owner.otherWebsites}>
          {others.map(({ id, url }) => (
            <a key={id} href={hrefOf(id)}>
              {formatAddress(url)}
            </a>
          ))}
          <a class="all" href={HOME}>
            {owner.allWebsites}
          </a>
        </nav>
      </details>
    </div>
  );
}
