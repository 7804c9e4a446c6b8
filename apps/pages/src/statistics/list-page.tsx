import { formatMetric } from '@hitherto/domain/format';
import type { ValueColumn } from '@hitherto/wire';
import { useLocale } from '../shared/locale.tsx';
import { listPath } from '../shared/paths.ts';
import { AtMost, Bar, ChangeCell, ChangeHead, Rate, RowLabel } from './list-card.tsx';
import type { ListPageView } from './list-view.ts';
import { type BelowProps, PageBelow } from './page-below.tsx';

interface ListPageProps extends BelowProps {
  readonly view: ListPageView;
}

/** All values of a list, 100 a page (pages.md). */
export function ListPage({ view, ...below }: ListPageProps) {
  const { title, subject } = view;
  // No other website has the event of a property.
  const pathOf = (page: string) => (subject.dimension === 'property' ? page : listPath(page, subject.dimension));
  const { lists } = useLocale().words;
  return (
    <PageBelow {...view} {...below} pathOf={pathOf} note={view.count}>
      <section class="card lists" aria-label={title}>
        <div class="list whole">
          <ValuesTable view={view} />
          {view.rows.length === 0 && <p class="nothing">{lists.nothing}</p>}
          {view.compared !== undefined && <p class="hint">{view.compared}</p>}
          {view.without !== undefined && <p class="hint">{view.without}</p>}
          <nav class="list-foot" aria-label={lists.pages}>
            <span class="pager">
              {view.previousHref !== undefined && <a href={view.previousHref}>{lists.previous}</a>}
              {view.nextHref !== undefined && <a href={view.nextHref}>{lists.next}</a>}
            </span>
            <a href={view.csvHref}>CSV</a>
          </nav>
        </div>
      </section>
    </PageBelow>
  );
}

function ValuesTable({
  view: { title, head, columns, compared, rows, subject, goalName },
}: {
  readonly view: ListPageView;
}) {
  const { words, format } = useLocale();
  const { lists, figures, dimensions } = words;
  const heads: Readonly<Record<ValueColumn, string>> = {
    ...figures,
    events: dimensions.event.many,
    visit_duration: lists.duration,
  };
  const canHide = rows.some(({ hideHref }) => hideHref !== undefined);
  return (
    <table data-dimension={subject.dimension}>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {heads[column]}
            </th>
          ))}
          {compared !== undefined && <ChangeHead />}
          {goalName !== undefined && (
            <>
              <th scope="col" title={lists.convertedTitle(goalName)}>
                {lists.converted}
              </th>
              <th scope="col" title={lists.rateTitle(goalName)}>
                {lists.rate}
              </th>
            </>
          )}
          {canHide && <td />}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ row, cells, converted, hideHref }) => (
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
            {compared !== undefined && <ChangeCell change={row.change} />}
            {converted !== undefined && (
              <>
                <td data-metric="converted_visitors">{format.count(converted.visitors)}</td>
                <td data-metric="conversion_rate">
                  <Rate rate={converted.conversionRate} />
                </td>
              </>
            )}
            {canHide && (
              <td>
                {hideHref !== undefined && (
                  <a href={hideHref} aria-label={lists.hideVisits(row.label)}>
                    {lists.hide}
                  </a>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Rates are shown rounded; programs read the exact value, as in the API. */
function Cell({ column, value }: { readonly column: ValueColumn; readonly value: number | null }) {
  const locale = useLocale();
  if (column === 'events') return <>{locale.format.count(value ?? 0)}</>;
  if (column !== 'bounce_rate' && column !== 'visit_duration') return <>{formatMetric(locale, column, value)}</>;
  return <data value={value ?? ''}>{formatMetric(locale, column, value)}</data>;
}
