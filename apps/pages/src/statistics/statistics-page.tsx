import { changeOf, type FigureChange, type Figures, formatMetric, metricsOf } from '@hitherto/domain/format';
import type { Header } from '../shared/header.ts';
import { useLocale } from '../shared/locale.tsx';
import { Frame } from '../shared/page.tsx';
import { changePath, livePath, newResourcePath, statisticsPath, websitePath } from '../shared/paths.ts';
import { Snippet } from '../shared/snippet.tsx';
import { type SwitcherWebsite, WebsiteSwitcher } from '../shared/website-switcher.tsx';
import type { CardView } from './cards.ts';
import { Chart } from './chart.tsx';
import { comparisonOf } from './comparison-view.ts';
import { CountryMap } from './country-map.tsx';
import { CrawlersCard } from './crawlers-card.tsx';
import { FilterBar } from './filter-bar.tsx';
import type { FilterBarView } from './filter-bar-view.ts';
import { FunnelsCard } from './funnels-card.tsx';
import { GoalsCard } from './goals-card.tsx';
import { AtMost, changeClass, ListCard } from './list-card.tsx';
import type { OriginsView } from './origins-view.ts';
import { Footer, PageHead, PeriodChoice, Within } from './page-parts.tsx';
import type { StatisticsView, WebsiteView } from './read-view.ts';
import { hrefOf, lookOf, ofAnyWebsite, type RejectedDays, type Selection, withoutFilters } from './selection.ts';
import { WhatChangedStrip } from './what-changed.tsx';
import { WhenCard } from './when-card.tsx';

interface StatisticsPageProps {
  readonly view: StatisticsView;
  readonly who: Header | undefined;
  /** Other websites to go to. */
  readonly others: readonly SwitcherWebsite[];
  readonly filters: FilterBarView;
  readonly rejectedDays: RejectedDays | undefined;
  /** The tag that counts visits, for the owner of a website that has none. */
  readonly snippet: { readonly origin: string; readonly scriptPath: string } | undefined;
}

/** Whether the website waits for its first visit. */
export function isWithoutVisits({ within, footer }: Pick<StatisticsView, 'within' | 'footer'>): boolean {
  return within === undefined && footer.firstDay === undefined;
}

/** The statistics page of a website (pages.md). */
export function StatisticsPage({ view, who, others, filters, rejectedDays, snippet }: StatisticsPageProps) {
  const { website, path, selection, figures, comparison } = view;
  const isEmpty = isWithoutVisits(view);
  const { statistics } = useLocale().words;
  return (
    <Frame
      title={statistics.title(website.address)}
      canCopy={isEmpty && snippet !== undefined}
      isWaiting={isEmpty}
      hasMenus
      hasPeriods
      {...lookOf(selection)}
    >
      <a class="skip" href="#numbers">
        {statistics.skip}
      </a>
      <PageHead who={who} isEmbedded={selection.isEmbedded} />
      <main>
        {!selection.isEmbedded && <StatisticsHeader {...view} others={others} rejectedDays={rejectedDays} />}
        {selection.isEmbedded && (
          <div class="embedded-head">
            <h1 class="unseen">{website.address}</h1>
            {view.within !== undefined && <Within segment={view.within} />}
            <PeriodChoice path={path} selection={selection} rejectedDays={rejectedDays} today={view.today} />
          </div>
        )}
        {!isEmpty && <FilterBar bar={filters} />}
        {isEmpty && snippet !== undefined && <EmptyWebsite website={website} {...snippet} />}
        {isEmpty && snippet === undefined && <EmptyForGuests website={website} />}
        {!isEmpty && <Headline view={view} />}
        <section class="card numbers" id="numbers" aria-label={statistics.numbers}>
          <FiguresRow path={path} selection={selection} figures={figures} before={comparison?.figures} />
          {(comparison !== undefined || view.comparisons.length > 0) && <Compared view={view} />}
          <Chart chart={view.chart} />
          {view.changes.length > 0 && (
            <WhatChangedStrip changes={view.changes} whyHref={hrefOf(changePath(path), selection)} />
          )}
          {view.origins !== undefined && <Origins {...view.origins} />}
          {view.cleaned !== undefined && (
            <Cleaned
              websiteId={website.id}
              onlyHref={hrefOf(path, { ...selection, hidden: 'only' })}
              {...view.cleaned}
            />
          )}
        </section>
        {(!isEmpty || view.crawlers !== undefined) && (
          <div class="cards">
            {!isEmpty && <VisitCards view={view} />}
            {view.crawlers !== undefined && <CrawlersCard path={path} selection={selection} crawlers={view.crawlers} />}
          </div>
        )}
        {view.hasSettings && !isEmpty && <FirstDefinitions view={view} />}
      </main>
      {!selection.isEmbedded && <Footer footer={view.footer} />}
    </Frame>
  );
}

/** The lists, and the cards between them. */
function VisitCards({
  view: { path, selection, cards, countries, funnels, goals, hours },
}: {
  readonly view: StatisticsView;
}) {
  // With its map, the card of countries is as high as two others.
  const isBesideMap = ({ id }: CardView) => countries !== undefined && (id === 'channels' || id === 'browsers');
  return (
    <>
      {cards.map((card) => (
        <>
          {/* Many goals are made from events, so goals are next to them. */}
          {card.id === 'events' && funnels !== undefined && (
            <FunnelsCard path={path} selection={selection} {...funnels} />
          )}
          {card.id === 'channels' && countries !== undefined && (
            <div class="beside">
              {cards.filter(isBesideMap).map((beside) => (
                <ListCard key={beside.id} card={beside} />
              ))}
            </div>
          )}
          {!isBesideMap(card) && (
            <ListCard
              key={card.id}
              card={card}
              picture={card.id === 'countries' && countries && <CountryMap countries={countries} />}
            />
          )}
          {card.id === 'events' && goals !== undefined && <GoalsCard path={path} selection={selection} goals={goals} />}
        </>
      ))}
      {hours !== undefined && <WhenCard hours={hours} />}
    </>
  );
}

/** The comparison, and the menu to choose another one. */
function Compared({ view: { path, selection, comparison, comparisons, changes } }: { readonly view: StatisticsView }) {
  const { statistics } = useLocale().words;
  return (
    <div class="hint compared">
      {comparison?.sentence}
      {comparisons.length > 0 && (
        <details class="menu" name="menu">
          <summary>{statistics.compareWith}</summary>
          <ul>
            {comparisons.map(({ name, href, isChosen }) => (
              <li key={href}>
                <a href={href} aria-current={isChosen ? 'true' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
      {comparison !== undefined && changes.length === 0 && (
        <a href={hrefOf(changePath(path), selection)}>{statistics.whyItChanged}</a>
      )}
    </div>
  );
}

/** Who came, when, and how much more or less: the page in a sentence. */
function Headline({ view: { selection, figures, comparison, today } }: { readonly view: StatisticsView }) {
  const locale = useLocale();
  const { words, format } = locale;
  const { statistics } = words;
  const visitors = (
    <strong>
      {figures.visitors_at_most && <AtMost />}
      {statistics.visitors(figures.visitors)}
    </strong>
  );
  const { period, from, to } = selection;
  const days = format.periodSeenOn(today, from, to);
  const during =
    period !== undefined
      ? statistics.during[period]
      : from === to
        ? statistics.duringDay(days)
        : statistics.duringDays(days);
  const before = comparison?.figures;
  const change = before && changeOf(locale, 'visitors', figures.visitors, before.visitors);
  return (
    <p class="headline">
      {change !== undefined && change.good === undefined
        ? statistics.headlineSame(visitors, during, comparisonOf(selection))
        : statistics.headline(visitors, during, change && <strong>{change.text}</strong>, comparisonOf(selection))}
    </p>
  );
}

interface StatisticsHeaderProps {
  readonly website: WebsiteView;
  readonly path: string;
  readonly selection: Selection;
  readonly others: readonly SwitcherWebsite[];
  readonly isMember: boolean;
  readonly hasSettings: boolean;
  readonly within: string | undefined;
  readonly currentVisitors: number | undefined;
  readonly rejectedDays: RejectedDays | undefined;
  readonly today: string;
}

/** Which days come from imports, and which numbers they lack. */
function Origins({ imported, without, hasBounds }: OriginsView) {
  const { statistics } = useLocale().words;
  return (
    <p class="hint">
      {imported} {without} {hasBounds && statistics.atMost}
    </p>
  );
}

interface CleanedProps {
  readonly websiteId: string;
  /** Where they alone are counted. */
  readonly onlyHref: string;
  readonly visits: number;
  readonly cleanups: number;
}

/** How many visits are hidden, with the way to undo it. */
function Cleaned({ websiteId, onlyHref, visits, cleanups }: CleanedProps) {
  const { resources } = useLocale().words;
  return (
    <p class="hint">
      <a href={websitePath(websiteId, 'cleanups')}>{resources.cleanup.hiddenBy(visits, cleanups)}</a>{' '}
      <a href={onlyHref}>{resources.cleanup.showHidden}</a>
    </p>
  );
}

/** The website's address, its current visitors, and the choice of the period. */
function StatisticsHeader(props: StatisticsHeaderProps) {
  const { website, path, selection, others, within, isMember, hasSettings, currentVisitors, rejectedDays, today } =
    props;
  const { statistics } = useLocale().words;
  return (
    <header class="statistics-header">
      <div class="website">
        {isMember && hasSettings && (
          <nav class="owner-links" aria-label={statistics.owner}>
            <a href={websitePath(website.id)}>{statistics.settings}</a>
          </nav>
        )}
        <WebsiteSwitcher others={others} hrefOf={(id) => hrefOf(statisticsPath(id), ofAnyWebsite(selection))}>
          <h1>{website.address}</h1>
        </WebsiteSwitcher>
        {within !== undefined && <Within segment={within} />}
        {currentVisitors !== undefined && (
          <p class={currentVisitors > 0 ? 'now live' : 'now'} title={statistics.currentTitle}>
            <a href={hrefOf(livePath(path), withoutFilters(selection))}>
              <CurrentVisitors count={currentVisitors} />
            </a>
          </p>
        )}
      </div>
      <PeriodChoice path={path} selection={selection} rejectedDays={rejectedDays} today={today} />
    </header>
  );
}

function CurrentVisitors({ count }: { readonly count: number }) {
  const { words, format } = useLocale();
  if (count === 0) return <>{words.statistics.nobodyNow}</>;
  return (
    <>
      {words.statistics.visitorsNow(count, (number) => (
        <strong>{format.count(number)}</strong>
      ))}
    </>
  );
}

interface FiguresRowProps {
  readonly path: string;
  readonly selection: Selection;
  readonly figures: Figures;
  /** `undefined` where nothing can be compared. */
  readonly before: Figures | undefined;
}

/** The numbers, each with its change; the chosen one is the subject of the chart below. */
function FiguresRow({ path, selection, figures, before }: FiguresRowProps) {
  const locale = useLocale();
  const { words } = locale;
  return (
    <nav class="figures" aria-label={words.statistics.numbersOfChart}>
      {metricsOf(figures).map((metric) => (
        <a
          key={metric}
          href={hrefOf(path, { ...selection, metric })}
          aria-current={metric === selection.metric ? 'true' : undefined}
        >
          <span class="name">{words.figures[metric]}</span>
          <strong data-metric={metric} data-value={figures[metric] ?? ''}>
            {metric === 'visitors' && figures.visitors_at_most && <AtMost />}
            {formatMetric(locale, metric, figures[metric])}
          </strong>
          <ChangeText change={before && changeOf(locale, metric, figures[metric], before[metric])} />
        </a>
      ))}
    </nav>
  );
}

function ChangeText({ change }: { readonly change: FigureChange | undefined }) {
  if (change === undefined) return null;
  return (
    <span class={changeClass(change)}>
      <span aria-hidden="true">{change.arrow}</span>
      <span class="unseen">{change.text}</span>
    </span>
  );
}

/** Where the owner defines the first goal, and the first funnel. */
function FirstDefinitions({ view: { website, goals, funnels } }: { readonly view: StatisticsView }) {
  const { statistics } = useLocale().words;
  if (goals !== undefined && funnels !== undefined) return null;
  return (
    <p class="first-definitions">
      {goals === undefined && <a href={newResourcePath(websitePath(website.id, 'goals'))}>{statistics.defineGoal}</a>}
      {funnels === undefined && (
        <a href={newResourcePath(websitePath(website.id, 'funnels'))}>{statistics.defineFunnel}</a>
      )}
    </p>
  );
}

/** While a website has no hits, for those who cannot change that. */
function EmptyForGuests({ website }: { readonly website: WebsiteView }) {
  const { statistics } = useLocale().words;
  return (
    <section class="card empty" aria-labelledby="empty-title" data-waiting>
      <h2 id="empty-title">{statistics.noVisits}</h2>
      <p>
        {statistics.firstVisitSoon(website.address)} <noscript>{statistics.waitingReload}</noscript>
      </p>
    </section>
  );
}

interface EmptyWebsiteProps {
  readonly website: WebsiteView;
  readonly origin: string;
  readonly scriptPath: string;
}

/** The next steps while a website has no hits. */
function EmptyWebsite({ website, origin, scriptPath }: EmptyWebsiteProps) {
  const { statistics } = useLocale().words;
  return (
    <section class="card empty" aria-labelledby="empty-title" data-waiting>
      <h2 id="empty-title">{statistics.waiting}</h2>
      <ol>
        <li>
          {statistics.waitingSnippet(<code>&lt;head&gt;</code>, <strong>{website.address}</strong>)}
          <Snippet websiteId={website.id} origin={origin} scriptPath={scriptPath} />
        </li>
        <li>{statistics.waitingOpen}</li>
        <li>
          {statistics.waitingShows} <noscript>{statistics.waitingReload}</noscript>
        </li>
      </ol>
    </section>
  );
}
