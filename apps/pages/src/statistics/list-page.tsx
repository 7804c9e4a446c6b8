import { formatMetric } from '@hitherto/domain/format';
import { valueCell } from '@hitherto/wire';
import { useLocale } from '../shared/locale.tsx';
import { listPath } from '../shared/paths.ts';
import type { RowView } from './cards.ts';
import { AtMost, Bar, ChangeText, changeClass, DataSource, Rate, RowLabel } from './list-card.tsx';
import type { ListColumn, ListPageView } from './list-view.ts';
import { type BelowProps, PageBelow } from './page-below.tsx';

interface ListPageProps extends BelowProps {
  readonly view: ListPageView;
}

/** All values of a list, 100 a page, in any order (pages.md). */
export function ListPage({ view, ...below }: ListPageProps) {
  const { title, order, subject } = view;
  // No other website has the event of a property.
  const pathOf = (page: string) => (subject.dimension === 'property' ? page : listPath(page, subject.dimension));
  const { lists } = useLocale().words;
  return (
    <PageBelow {...view} {...below} pathOf={pathOf} note={view.count}>
      <section class="card lists" aria-label={title}>
        <div class="list whole">
          <ListTools view={view} />
          <ValuesTable view={view} />
          {view.rows.length === 0 && <p class="nothing">{order.search === '' ? lists.nothing : lists.notFound}</p>}
          {view.sorted !== undefined && <p class="hint">{lists.sortedFirst(view.sorted)}</p>}
          {view.compared !== undefined && <p class="hint">{view.compared}</p>}
          {view.without !== undefined && <p class="hint">{view.without}</p>}
          <DataSource dimension={view.subject.dimension} />
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

/** The search, and the choice of the column that is seen where there is room for one. */
function ListTools({ view: { path, kept, order, columns } }: { readonly view: ListPageView }) {
  const { lists } = useLocale().words;
  return (
    <div class="list-tools">
      <form method="get" action={path}>
        {kept.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <input type="search" name="search" value={order.search} aria-label={lists.search} maxlength={100} />
        <button type="submit">{lists.search}</button>
      </form>
      <nav class="tabs" aria-label={lists.column}>
        {columns.slice(1).map(({ name, head, href }) =>
          name === seenColumn(order.sort) ? (
            <a key={name} aria-current="true" href={href}>
              {head}
            </a>
          ) : (
            <a key={name} href={href}>
              {head}
            </a>
          ),
        )}
      </nav>
    </div>
  );
}

/** The number that is seen where there is room for one: that of the order. */
function seenColumn(sort: ListColumn['name']): ListColumn['name'] {
  return sort === 'value' ? 'visitors' : sort;
}

function ValuesTable({ view: { title, columns, rows, order, subject } }: { readonly view: ListPageView }) {
  const { lists } = useLocale().words;
  const canHide = rows.some(({ hideHref }) => hideHref !== undefined);
  const seen = seenColumn(order.sort);
  const classOf = (name: ListColumn['name']) => (name === seen ? 'seen' : undefined);
  const cellClass = (name: ListColumn['name'], { change }: RowView) =>
    name === 'change' ? [changeClass(change), classOf(name)].filter(Boolean).join(' ') : classOf(name);
  return (
    <table data-dimension={subject.dimension}>
      <caption>{title}</caption>
      <thead>
        <tr>
          {columns.map(({ name, head, title: about, href }) => (
            <th
              scope="col"
              key={name}
              class={classOf(name)}
              title={about}
              aria-sort={order.sort === name ? (order.isAscending ? 'ascending' : 'descending') : undefined}
            >
              <a href={href}>{head}</a>
            </th>
          ))}
          {canHide && <td class="seen" />}
        </tr>
      </thead>
      <tbody>
        {rows.map((each) => (
          <tr key={each.row.value} data-value={each.row.value ?? ''}>
            <th scope="row" class={each.row.isFilter ? 'is-filter' : undefined}>
              <Bar share={each.row.bar} />
              <RowLabel row={each.row} />
            </th>
            {columns.slice(1).map(({ name }) => (
              <td key={name} class={cellClass(name, each.row)} data-metric={name}>
                <Cell name={name} of={each} />
              </td>
            ))}
            {canHide && (
              <td class="seen">
                {each.hideHref !== undefined && (
                  <a href={each.hideHref} aria-label={lists.hideVisits(each.row.label)}>
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

interface CellProps {
  readonly name: ListColumn['name'];
  readonly of: ListPageView['rows'][number];
}

/** Rates are shown rounded; programs read the exact value, as in the API. */
function Cell({ name, of: { row, values, converted } }: CellProps) {
  const locale = useLocale();
  const { count } = locale.format;
  switch (name) {
    case 'value':
      return null;
    case 'change':
      return <ChangeText change={row.change} />;
    case 'converted_visitors':
      return <>{count(converted?.visitors ?? 0)}</>;
    case 'conversion_rate':
      return <Rate rate={converted?.conversionRate ?? null} />;
    case 'events':
      return <>{count(valueCell(values, name) ?? 0)}</>;
    case 'scroll_depth': {
      const value = valueCell(values, name);
      return <data value={value ?? ''}>{value === null ? '–' : locale.format.share(value / 100)}</data>;
    }
    case 'bounce_rate':
    case 'engaged_seconds':
    case 'visit_duration': {
      const value = valueCell(values, name);
      return <data value={value ?? ''}>{formatMetric(locale, name, value)}</data>;
    }
    default:
      return (
        <>
          {name === 'visitors' && row.isAtMost && <AtMost />}
          {formatMetric(locale, name, valueCell(values, name))}
        </>
      );
  }
}
