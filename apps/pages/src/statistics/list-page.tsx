import { countOf, formatCount, formatMetric, METRIC_NAMES } from '@hitherto/domain/format';
import type { ValueColumn } from '@hitherto/http';
import { Frame } from '../shared/page.tsx';
import { statisticsPath } from '../shared/paths.ts';
import { Bar, RowLabel } from './list-card.tsx';
import type { ListPageView } from './list-view.ts';
import { FilterChips, Notes, PeriodChoice } from './page-parts.tsx';
import { hrefOf, type Selection } from './selection.ts';

const HEADS: Readonly<Record<ValueColumn, string>> = { ...METRIC_NAMES, events: 'Events', visit_duration: 'Duration' };

interface ListPageProps {
  readonly view: ListPageView;
}

/** All values of a list, 100 a page (statistics.md, section 6). */
export function ListPage({ view }: ListPageProps) {
  const { website, selection, subject, title, path, today } = view;
  // Without its event there is no list of a property.
  const pathOf = ({ property }: Selection) =>
    subject.dimension === 'property' && property === undefined ? statisticsPath(website.id) : path;
  return (
    <Frame title={`${title} · ${website.address}`}>
      <header class="statistics-header">
        <div class="website">
          <nav class="owner-links" aria-label="Back">
            <a href={hrefOf(statisticsPath(website.id), selection)}>{website.address}</a>
          </nav>
          <h1>{title}</h1>
          <p class="now">{countOf(view.total, 'value', 'values')}</p>
        </div>
        <PeriodChoice path={path} selection={selection} today={today} />
      </header>
      <main>
        <FilterChips pathOf={pathOf} selection={selection} />
        <section class="card lists" aria-label={title}>
          <div class="list whole">
            <ValuesTable view={view} />
            {view.rows.length === 0 && <p class="nothing">Nothing in this period.</p>}
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
      <Notes notes={view.notes} />
    </Frame>
  );
}

function ValuesTable({ view: { title, head, columns, rows, subject } }: { readonly view: ListPageView }) {
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
        </tr>
      </thead>
      <tbody>
        {rows.map(({ row, cells }) => (
          <tr key={row.value} data-value={row.value ?? ''}>
            <th scope="row" class={row.isFilter ? 'is-filter' : undefined}>
              <Bar share={row.bar} />
              <RowLabel row={row} />
            </th>
            {columns.map((column, index) => (
              <td key={column} data-metric={column}>
                <Cell column={column} value={cells[index] ?? null} />
              </td>
            ))}
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
