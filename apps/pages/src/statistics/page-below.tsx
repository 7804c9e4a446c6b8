import type { ComponentChildren } from 'preact';
import type { Header } from '../shared/header.ts';
import { useLocale } from '../shared/locale.tsx';
import { Frame } from '../shared/page.tsx';
import { statisticsPath } from '../shared/paths.ts';
import { type SwitcherWebsite, WebsiteSwitcher } from '../shared/website-switcher.tsx';
import { FilterBar } from './filter-bar.tsx';
import type { FilterBarView } from './filter-bar-view.ts';
import { Footer, PageHead, PeriodChoice, Within } from './page-parts.tsx';
import type { FooterView } from './read-view.ts';
import { hrefOf, lookOf, ofAnyWebsite, type RejectedDays, type Selection } from './selection.ts';

/** The frame of a page below: who looks, and what they can choose. */
export interface BelowProps {
  readonly who: Header | undefined;
  /** Other websites to go to. */
  readonly others: readonly SwitcherWebsite[];
  readonly filters: FilterBarView;
  readonly rejectedDays: RejectedDays | undefined;
}

interface PageBelowProps extends BelowProps {
  /** Of the website, without the scheme. */
  readonly address: string;
  /** Of the statistics page. */
  readonly pagePath: string;
  /** Of this page. */
  readonly path: string;
  readonly title: string;
  readonly note?: string;
  readonly selection: Selection;
  /** The name of the segment whose visits alone are shown, if any. */
  readonly within: string | undefined;
  readonly today: string;
  /** The same page beneath a statistics page. */
  readonly pathOf: (page: string) => string;
  readonly footer: FooterView;
  readonly children: ComponentChildren;
}

/** A page below the statistics page, with the way back, the period and the filters. */
export function PageBelow(props: PageBelowProps) {
  const { address, pagePath, path, title, note, selection, within, today, footer, children } = props;
  const { who, others, pathOf, filters, rejectedDays } = props;
  const { lists } = useLocale().words;
  const head = (
    <>
      <nav class="owner-links" aria-label={lists.back}>
        <WebsiteSwitcher others={others} hrefOf={(id) => hrefOf(pathOf(statisticsPath(id)), ofAnyWebsite(selection))}>
          <a href={hrefOf(pagePath, selection)}>{address}</a>
        </WebsiteSwitcher>
      </nav>
      <h1>{title}</h1>
      {within !== undefined && <Within segment={within} />}
    </>
  );
  const periods = <PeriodChoice path={path} selection={selection} rejectedDays={rejectedDays} today={today} />;
  return (
    <Frame title={`${title} · ${address}`} hasMenus hasPeriods {...lookOf(selection)}>
      <PageHead who={who} isEmbedded={selection.isEmbedded} />
      <main>
        {!selection.isEmbedded && (
          <header class="statistics-header">
            <div class="website">
              {head}
              {note !== undefined && <p class="now">{note}</p>}
            </div>
            {periods}
          </header>
        )}
        {selection.isEmbedded && (
          <div class="embedded-head">
            {head}
            {periods}
          </div>
        )}
        <FilterBar bar={filters} />
        {children}
      </main>
      {!selection.isEmbedded && <Footer footer={footer} />}
    </Frame>
  );
}
