import type { Period } from '@hitherto/domain/calendar';
import { formatValue } from '@hitherto/domain/format';
import {
  type CrawlerRepository,
  type CrawlerSums,
  type CrawlerValues,
  OTHER_VALUES,
  PURPOSES,
  type Purpose,
} from '@hitherto/domain/hits';
import { shareOf4xx } from '@hitherto/domain/reading';
import type { Locale } from '@hitherto/words';
import { useLocale } from '../shared/locale.tsx';
import { LIST_LENGTH } from './cards.ts';
import { Bar } from './list-card.tsx';
import { CRAWLER_LISTS, type CrawlerList, hrefOf, type Selection } from './selection.ts';

/** Who crawls the website, which pages, and for what, in a period. */
export type Crawlers = Readonly<Record<CrawlerList, CrawlerValues>>;

/** The crawlers of a period, whatever the filters; `undefined` if there were none. */
export async function readCrawlers(
  crawlers: Pick<CrawlerRepository, 'values'>,
  websiteId: string,
  { from, to }: Period,
): Promise<Crawlers | undefined> {
  const [operators, pages, purposes] = await Promise.all([
    crawlers.values(websiteId, from, to, 'operator', LIST_LENGTH),
    crawlers.values(websiteId, from, to, 'page', LIST_LENGTH),
    crawlers.values(websiteId, from, to, 'purpose', PURPOSES.length),
  ]);
  return operators.total === 0 ? undefined : { operators, pages, purposes };
}

const LISTS = {
  operators: 'operator',
  pages: 'page',
  purposes: 'purpose',
} as const satisfies Record<CrawlerList, string>;

interface CrawlersCardProps {
  readonly path: string;
  readonly selection: Selection;
  readonly crawlers: Crawlers;
}

/** Who crawls the website, which pages, and for what; members alone see it. */
export function CrawlersCard({ path, selection, crawlers }: CrawlersCardProps) {
  const { words } = useLocale();
  return (
    <section class="card lists crawlers" id="crawlers" aria-labelledby="crawlers-title">
      <div class="card-head">
        <h2 id="crawlers-title">{words.crawlers.crawlers}</h2>
        <nav class="tabs" aria-labelledby="crawlers-title">
          {CRAWLER_LISTS.map((list) => (
            <a
              key={list}
              href={`${hrefOf(path, { ...selection, crawlers: list })}#crawlers`}
              aria-current={list === selection.crawlers ? 'true' : undefined}
            >
              {words.crawlers.lists[list].many}
            </a>
          ))}
        </nav>
      </div>
      {CRAWLER_LISTS.map((list) => (
        <CrawlerTable key={list} list={list} values={crawlers[list]} isInFront={list === selection.crawlers} />
      ))}
    </section>
  );
}

interface CrawlerTableProps {
  readonly list: CrawlerList;
  readonly values: CrawlerValues;
  readonly isInFront: boolean;
}

function CrawlerTable({ list, values: { rows, total }, isInFront }: CrawlerTableProps) {
  const locale = useLocale();
  const { words } = locale;
  const hidden = total - rows.length;
  return (
    <div class="list" hidden={!isInFront}>
      <table data-crawlers={LISTS[list]}>
        <caption>{words.crawlers.lists[list].many}</caption>
        <thead>
          <tr>
            <th scope="col">{words.crawlers.lists[list].one}</th>
            <th scope="col">{words.crawlers.hits}</th>
            <th scope="col" title={words.crawlers.errorsTitle}>
              {words.crawlers.errors}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ value, ...sums }) => (
            <Row key={value} value={value} label={labelOf(locale, list, value)} sums={sums} most={rows[0]?.hits ?? 0} />
          ))}
        </tbody>
      </table>
      <p class="list-foot">
        <span>
          {words.crawlers.foot}
          {hidden > 0 && ` ${words.crawlers.notShown(hidden)}`}
        </span>
      </p>
    </div>
  );
}

function labelOf(locale: Locale, list: CrawlerList, value: string): string {
  if (value === OTHER_VALUES) return locale.words.values.others;
  if (list === 'pages') return formatValue(locale, 'page', value);
  const purposes: Readonly<Record<Purpose, string>> = locale.words.crawlers.purposes;
  return list === 'purposes' ? (new Map<string, string>(Object.entries(purposes)).get(value) ?? value) : value;
}

interface RowProps {
  readonly value: string;
  readonly label: string;
  readonly sums: CrawlerSums;
  /** The hits of the row with the longest bar. */
  readonly most: number;
}

function Row({ value, label, sums, most }: RowProps) {
  const { format } = useLocale();
  const share4xx = shareOf4xx(sums);
  return (
    <tr data-value={value}>
      <th scope="row">
        <Bar share={sums.hits / most} />
        <span class="label">
          <bdi>{label}</bdi>
        </span>
      </th>
      <td data-metric="hits">{format.count(sums.hits)}</td>
      <td data-metric="share_4xx">
        <data value={share4xx ?? ''}>{format.rate(share4xx)}</data>
      </td>
    </tr>
  );
}
