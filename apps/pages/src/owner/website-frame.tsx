import type { ComponentChildren } from 'preact';
import { statisticsPath, type WebsitePage, websitePath } from '../shared/paths.ts';
import type { WebsiteView } from '../statistics/read-view.ts';
import type { Header } from './header.ts';
import { OwnerFrame, ReadOnlyNotice } from './owner-frame.tsx';

const NAMES: Readonly<Record<WebsitePage, string>> = {
  settings: 'Settings',
  goals: 'Goals',
  funnels: 'Funnels',
  segments: 'Segments',
  links: 'Links',
  annotations: 'Annotations',
  alerts: 'Alerts',
  snippet: 'Snippet',
  dropped: 'Not counted',
  check: 'Check a visit',
  imports: 'Imports',
  changes: 'Changes',
  move: 'Move',
  delete: 'Delete',
};

export interface WebsiteFrameProps {
  readonly header: Header;
  readonly website: WebsiteView;
  readonly page: WebsitePage;
  /** Those that the viewer may see. */
  readonly pages: readonly WebsitePage[];
  readonly canWrite: boolean;
  /** Of the document, if it is not the name of the tab. */
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** The frame around the pages of one website, with their tabs. */
export function WebsiteFrame({
  header,
  website,
  page,
  pages,
  canWrite,
  title = NAMES[page],
  children,
}: WebsiteFrameProps) {
  return (
    <OwnerFrame
      header={header}
      title={`${title} · ${website.address}`}
      canCopy={page === 'snippet' || page === 'links'}
      hasImports={page === 'imports'}
    >
      <div class="title-row">
        <h1>{website.address}</h1>
        <a href={statisticsPath(website.id)}>Statistics</a>
      </div>
      <nav class="tabs website-pages" aria-label="Website">
        {pages.map((name) => (
          <a key={name} href={websitePath(website.id, name)} aria-current={name === page ? 'page' : undefined}>
            {NAMES[name]}
          </a>
        ))}
      </nav>
      <ReadOnlyNotice canWrite={canWrite} />
      {children}
    </OwnerFrame>
  );
}
