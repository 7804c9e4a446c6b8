import { formatAddress } from '@hitherto/domain/format';
import type { WebsiteName } from '@hitherto/domain/websites';
import { useLocale } from '../shared/locale.tsx';
import { HOME, type WebsitePage, websitePath } from '../shared/paths.ts';
import type { WebsiteView } from '../statistics/read-view.ts';

export type SwitcherWebsite = Pick<WebsiteName, 'id' | 'url'>;

interface WebsiteSwitcherProps {
  readonly website: WebsiteView;
  readonly others: readonly SwitcherWebsite[];
  /** Where it leads: the same page of another website. */
  readonly page: WebsitePage;
}

/** The address of the website, and a menu of others. */
export function WebsiteSwitcher({ website, others, page }: WebsiteSwitcherProps) {
  const { owner } = useLocale().words;
  const target = page === 'delete' || page === 'move' ? 'settings' : page;
  if (others.length === 0) return <h1>{website.address}</h1>;
  return (
    <div class="switcher">
      <h1>{website.address}</h1>
      <button class="plain" type="button" popovertarget="websites" aria-label={owner.otherWebsites}>
        <svg viewBox="0 0 10 6" width="10" height="6" aria-hidden="true">
          <path d="M0 0h10L5 6z" fill="currentColor" />
        </svg>
      </button>
      <nav id="websites" popover="auto" aria-label={owner.otherWebsites}>
        {others.map(({ id, url }) => (
          <a key={id} href={websitePath(id, target)}>
            {formatAddress(url)}
          </a>
        ))}
        <a class="all" href={HOME}>
          {owner.allWebsites}
        </a>
      </nav>
    </div>
  );
}
