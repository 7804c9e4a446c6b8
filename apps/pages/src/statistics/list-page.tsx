import { formatCount, formatMetric, METRIC_NAMES } from '@hitherto/domain/format';
import type { ValueColumn } from '@hitherto/wire';
import { Frame } from '../shared/page.tsx';
import type { Who } from '../shared/who.ts';
import { WhoLink } from '../shared/who-link.tsx';
import { FilterBar } from './filter-bar.tsx';
import type { FilterBarView } from './filter-bar-view.ts';
import { AtMost, Bar, Rate, RowLabel } from './list-card.tsx';
import type { ListPageView } from './list-view.ts';
import { Footer, PeriodChoice, Within } from './page-parts.tsx';
import { hrefOf, lookOf, type RejectedDays } from './selection.ts';

const HEADS: Readonly<Record<ValueColumn, string>> = { ...METRIC_NAMES, events: 'Events', visit_duration: 'Duration' };

interface ListPageProps {
  readonly view: ListPageView;
  readonly who: Who | undefined;
  readonly filters: FilterBarView;
  readonly rejectedDays: RejectedDays | undefined;
}

/** All values of a list, 100 a page (pages.md). */
export function ListPage({ view, who, filters, rejectedDays }: ListPageProps) {
  const { address, within, selection, title, path, today } = view;
  return (
    <Frame title={`${title} · ${address}`} hasFilters {...lookOf(selection)}>
      {!selection.isEmbedded && (
        <header class="statistics-header">
          <div class="website">
            <BackLink view={view} who={who} />
            <h1>{title}</h1>
            {within !== undefined && <Within segment={within} />}
            <p class="now">{view.count}</p>
          </div>
          <PeriodChoice path={path} selection={selection} rejectedDays={rejectedDays} today={today} />
        </header>
      )}
      <main>
        {selection.isEmbedded && (
          <div class="embedded-head">
            <BackLink view={view} />
            <h1>{title}</h1>
            {within !== undefined && <Within segment={within} />}
            <PeriodChoice path={path} selection={selection} rejectedDays={rejectedDays} today={today} />
          </div>
        )}
        <FilterBar bar={filters} />
        <section class="card lists" aria-label={title}>
          <div class="list whole">
            <ValuesTable view={view} />
            {view.rows.length === 0 && <p class="nothing">Nothing in this period.</p>}
            {view.without !== undefined && <p class="hint">{view.without}</p>}
            <nav class="list-foot" aria-label="Pages of the list">
              <span class="pager">
                {view.previousHref !== undefined && <a href={view.previousHref}>Previous</a>}
                {view.nextHref !== undefined && <a href={view.nextHref}>Next</a>}
              </span>
              <a href={view.csvHref}>CSV</a>
            </nav>
          </div>
        </section>
      </main>
      {!selection.isEmbedded && <Footer footer={view.footer} />}
    </Frame>
  );
}

interface BackLinkProps {
  readonly view: ListPageView;
  readonly who?: Who | undefined;
}

function BackLink({ view: { pagePath, selection, address }, who }: BackLinkProps) {
  return (
    <nav class="owner-links" aria-label="Back">
      <a href={hrefOf(pagePath, selection)}>{address}</a>
      {who !== undefined && <WhoLink who={who} />}
    </nav>
  );
}

function ValuesTable({ view: { title, head, columns, rows, subject, goalName } }: { readonly view: ListPageView }) {
  return (
    <table data-dimension={subject.dimension}>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {HEADS[column]}
            </th>
          ))}
          {goalName !== undefined && (
            <>
              <th scope="col" title={`Visitors who reached the goal ${goalName}`}>
                Converted
              </th>
              <th scope="col" title={`Conversion rate of the goal ${goalName}`}>
                Rate
              </th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ row, cells, converted }) => (
          <tr key={row.value} data-value={row.value ?? ''}>
            <th scope="row" class={row.isFilter ? 'is-filter' : undefined}>
              <Bar share={row.bar} />
              <RowLabel row={row} />
            </th>
            {columns.map((column, index) => (
              <td key={column} data-metric={column}>
                {column === 'visitors' && row.isAtMost && <AtMost />}
                <Cell column={column} value={cells[index] ?? null} />
              </td>
            ))}
            {converted !== undefined && (
              <>
                <td data-metric="converted_visitors">{formatCount(converted.visitors)}</td>
                <td data-metric="conversion_rate">
                  <Rate rate={converted.conversionRate} />
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Rates are shown rounded; programs read the exact value, as in the API. */
function Cell({ column, value }: { readonly column: ValueColumn; readonly value: number | null }) {
  if (column === 'events') return <>{formatCount(value ?? 0)}</>;
  if (column !== 'bounce_rate' && column !== 'visit_duration') return <>{formatMetric(column, value)}</>;
  return <data value={value ?? ''}>{formatMetric(column, value)}</data>;
}
