import type { Words } from '@hitherto/words';
import type { ComponentChildren } from 'preact';
import type { Header } from '../shared/header.ts';
import { useLocale } from '../shared/locale.tsx';
import { statisticsPath, WEBSITE_PAGE_GROUPS, type WebsitePage, websitePath } from '../shared/paths.ts';
import { type SwitcherWebsite, WebsiteSwitcher } from '../shared/website-switcher.tsx';
import type { WebsiteView } from '../statistics/read-view.ts';
import { OwnerFrame, ReadOnlyNotice } from './owner-frame.tsx';

export interface WebsiteFrameProps {
  readonly header: Header;
  readonly website: WebsiteView;
  /** Others to go to. */
  readonly others: readonly SwitcherWebsite[];
  readonly page: WebsitePage;
  /** The tabs that the viewer may see. */
  readonly pages: readonly WebsitePage[];
  readonly canWrite: boolean;
  /** Of the document, if it is not the name of the page. */
  readonly title?: string;
  /** Whether the page waits for the first visit. */
  readonly isWaiting?: boolean;
  readonly children: ComponentChildren;
}

/** The name of a page of a website. */
function pageName(words: Words, page: WebsitePage): string {
  return words.website.pages[page];
}

/** The frame around the pages of one website, which are grouped by intention. */
export function WebsiteFrame(props: WebsiteFrameProps) {
  const { header, website, others, page, pages, canWrite, title, isWaiting = false, children } = props;
  const { words } = useLocale();
  // Nobody goes from one website to another to delete or move that one, too.
  const same = page === 'delete' || page === 'move' ? 'settings' : page;
  return (
    <OwnerFrame
      header={header}
      title={`${title ?? pageName(words, page)} · ${website.address}`}
      canCopy={page === 'snippet' || page === 'links'}
      hasImports={page === 'imports'}
      isWaiting={isWaiting}
      hasMenus={others.length > 0}
    >
      <div class="title-row">
        <WebsiteSwitcher others={others} hrefOf={(id) => websitePath(id, same)}>
          <h1>{website.address}</h1>
        </WebsiteSwitcher>
        <a href={statisticsPath(website.id)}>{words.website.statistics}</a>
      </div>
      <div class="website-settings">
        <nav class="website-pages" aria-label={words.owner.website}>
          {WEBSITE_PAGE_GROUPS.map(({ name: group, pages: ofGroup }) => {
            const seen = ofGroup.filter((name) => pages.includes(name));
            return (
              seen.length > 0 && (
                <div key={group}>
                  <h2>{words.website.groups[group]}</h2>
                  {seen.map((name) => (
                    <a
                      key={name}
                      href={websitePath(website.id, name)}
                      aria-current={name === page ? 'page' : undefined}
                    >
                      {pageName(words, name)}
                    </a>
                  ))}
                </div>
              )
            );
          })}
        </nav>
        <div class="website-page">
          <ReadOnlyNotice canWrite={canWrite} />
          {children}
        </div>
      </div>
    </OwnerFrame>
  );
}
