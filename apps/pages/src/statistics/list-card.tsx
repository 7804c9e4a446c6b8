import type { FigureChange } from '@hitherto/domain/format';
import type { ComponentChildren } from 'preact';
import { useLocale } from '../shared/locale.tsx';
import type { CardView, ListView, RowChange, RowView } from './cards.ts';

/** A card of lists; lists of other tabs are in the page too, hidden, for programs and prints. */
export function ListCard({ card, picture }: { readonly card: CardView; readonly picture?: ComponentChildren }) {
  const front = card.lists.find((list) => list.isInFront);
  return (
    <section class="card lists" id={card.id} aria-labelledby={`${card.id}-title`}>
      <div class="card-head">
        <h2 id={`${card.id}-title`}>{front?.title}</h2>
        {card.lists.length > 1 && <Tabs card={card} />}
      </div>
      {picture}
      {card.lists.map((list) => (
        <List key={list.href} list={list} />
      ))}
    </section>
  );
}

function Tabs({ card }: { readonly card: CardView }) {
  return (
    <nav class="tabs" aria-labelledby={`${card.id}-title`}>
      {card.lists.map((list) => (
        <a key={list.href} href={list.href} aria-current={list.isInFront ? 'true' : undefined}>
          {list.tab}
        </a>
      ))}
    </nav>
  );
}

function List({ list }: { readonly list: ListView }) {
  const { dimension, title, head, rows, more, csvHref } = list;
  const { lists, figures, dimensions } = useLocale().words;
  const isCompared = rows?.some(({ change }) => change !== undefined) ?? false;
  const third = rows?.[0]?.rate !== undefined ? lists.rate : hasEvents(dimension) ? dimensions.event.many : '%';
  return (
    <div class="list" hidden={!list.isInFront}>
      {dimension === 'channel' && rows !== undefined && rows.length > 0 && <Stack rows={rows} />}
      <table data-dimension={dimension}>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col">{figures.visitors}</th>
            <th scope="col">{third}</th>
            {isCompared && <ChangeHead />}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row) => (
            <Row key={row.value} row={row} isCompared={isCompared} />
          ))}
        </tbody>
      </table>
      {rows === undefined && <p class="nothing">{lists.uncounted}</p>}
      {rows?.length === 0 && <p class="nothing">{dimension === 'event' ? lists.noEvents : lists.nothing}</p>}
      {list.without !== undefined && <p class="hint">{list.without}</p>}
      <DataSource dimension={dimension} />
      {rows !== undefined && rows.length > 0 && (
        <p class="list-foot">
          <a href={more.href}>{more.text}</a>
          <a href={csvHref}>CSV</a>
        </p>
      )}
    </div>
  );
}

/** A link to the source of the values of a list, where its licence asks for one. */
export function DataSource({ dimension }: { readonly dimension: ListView['dimension'] }) {
  const { lists } = useLocale().words;
  if (dimension !== 'network') return null;
  return (
    <p class="hint">
      <a href="https://db-ip.com">{lists.networkSource}</a>
    </p>
  );
}

function hasEvents(dimension: ListView['dimension']): boolean {
  return dimension === 'event' || dimension === 'property';
}

function Row({ row, isCompared }: { readonly row: RowView; readonly isCompared: boolean }) {
  const { format } = useLocale();
  return (
    <tr data-value={row.value ?? ''}>
      <th scope="row" class={row.isFilter ? 'is-filter' : undefined}>
        <Bar share={row.bar} color={row.color} />
        <RowLabel row={row} />
      </th>
      <td data-metric="visitors">
        {row.isAtMost && <AtMost />}
        {format.count(row.visitors)}
      </td>
      <ThirdCell row={row} />
      {isCompared && (
        <td class={changeClass(row.change)}>
          <ChangeText change={row.change} />
        </td>
      )}
    </tr>
  );
}

/** The head of the column of changes. */
export function ChangeHead() {
  const { changed } = useLocale().words.change;
  return (
    <th scope="col" class="change" title={changed}>
      <span aria-hidden="true">±</span>
      <span class="unseen">{changed}</span>
    </th>
  );
}

/** How the visitors of a row changed: an arrow, and words for those who cannot see it. */
export function ChangeText({ change }: { readonly change: RowChange | undefined }) {
  const { figures } = useLocale().words;
  if (change === undefined) return null;
  if (change === 'new') return <>{figures.isNew}</>;
  return (
    <>
      <span aria-hidden="true">{change.good === undefined ? '=' : change.arrow}</span>
      <span class="unseen">{change.text}</span>
    </>
  );
}

/** The classes of a change, by whether it is a good one. */
export function changeClass(change: Pick<FigureChange, 'good'> | 'new' | undefined): string {
  if (change === undefined || change === 'new' || change.good === undefined) return 'change';
  return change.good ? 'change good' : 'change bad';
}

/** The conversion rate of the chosen goal, else events, else the share of all visitors. */
function ThirdCell({ row: { rate, events, share } }: { readonly row: RowView }) {
  const { format } = useLocale();
  if (rate !== undefined) {
    return (
      <td data-metric="conversion_rate">
        <Rate rate={rate} />
      </td>
    );
  }
  if (events !== undefined) return <td data-metric="events">{format.count(events)}</td>;
  return <td class="share">{format.percent(share)}</td>;
}

/** Stands before a number of visitors that is an upper bound. */
export function AtMost() {
  const { lists } = useLocale().words;
  return (
    <span title={lists.atMostTitle}>
      <span aria-hidden="true">≤{'\u2009'}</span>
      <span class="unseen">{lists.atMost} </span>
    </span>
  );
}

/** A rate from 0 to 1 as people read it; programs read the exact value, as in the API. */
export function Rate({ rate }: { readonly rate: number | null }) {
  const { format } = useLocale();
  return <data value={rate ?? ''}>{format.rate(rate)}</data>;
}

interface BarProps {
  readonly share: number;
  /** Marks the row, by number. */
  readonly color?: number | undefined;
}

/** The bar behind a label: its length is a share of the largest row, 0 to 1. */
export function Bar({ share, color }: BarProps) {
  return (
    <svg class="bar" aria-hidden="true">
      <rect width={percent(share)} height="100%" rx="4" />
      {color !== undefined && <rect class={`c${color}`} width="4" height="100%" rx="2" />}
    </svg>
  );
}

/** One bar of all rows, each in its color; the list is its legend. */
function Stack({ rows }: { readonly rows: readonly RowView[] }) {
  const all = rows.reduce((sum, { visitors }) => sum + visitors, 0);
  let end = 0;
  return (
    <svg class="stack" aria-hidden="true">
      {rows.map(({ label, visitors, color }) => {
        const start = end;
        end += visitors;
        return (
          <rect key={color} class={`c${color}`} x={percent(start / all)} width={percent(visitors / all)}>
            <title>{label}</title>
          </rect>
        );
      })}
    </svg>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** The readable value, with a link that filters by it. */
export function RowLabel({ row: { label, tile, href, value, isFilter } }: { readonly row: RowView }) {
  const { lists } = useLocale().words;
  const name = value === null || value === '' ? <em>{label}</em> : <bdi>{label}</bdi>;
  const look = {
    class: tile?.color === undefined ? 'label' : `label letter tile-${tile.color}`,
    'data-tile': tile?.text,
  };
  if (href === undefined) return <span {...look}>{name}</span>;
  return (
    <a {...look} href={href} title={isFilter ? lists.removeFilter(label) : label}>
      {name}
    </a>
  );
}
