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

/** Who crawls the website, which pages, and for what, in a period. */
export type Crawlers = Readonly<Record<'operators' | 'pages' | 'purposes', CrawlerValues>>;

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

/** Who crawls the website, and which pages; the owner alone sees it. */
export function CrawlerCards({ crawlers: { operators, pages, purposes } }: { readonly crawlers: Crawlers }) {
  const locale = useLocale();
  const { words } = locale;
  return (
    <div class="cards">
      <CrawlerCard
        list="operator"
        title={words.crawlers.crawlers}
        head={words.crawlers.operator}
        values={operators}
        format={(operator) => operator}
        foot={describePurposes(locale, purposes)}
      />
      <CrawlerCard
        list="page"
        title={words.crawlers.pages}
        head={words.dimensions.page.one}
        values={pages}
        format={(page) => formatValue(locale, 'page', page)}
        foot={words.crawlers.foot}
      />
    </div>
  );
}

interface CrawlerCardProps {
  /** As the API names it. */
  readonly list: 'operator' | 'page';
  readonly title: string;
  readonly head: string;
  readonly values: CrawlerValues;
  readonly format: (value: string) => string;
  readonly foot: string;
}

function CrawlerCard({ list, title, head, values: { rows, total }, format, foot }: CrawlerCardProps) {
  const { words } = useLocale();
  const id = `crawler-${list}`;
  const hidden = total - rows.length;
  return (
    <section class="card lists" id={id} aria-labelledby={`${id}-title`}>
      <div class="card-head">
        <h2 id={`${id}-title`}>{title}</h2>
      </div>
      <div class="list">
        <table data-crawlers={list}>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{head}</th>
              <th scope="col">{words.crawlers.hits}</th>
              <th scope="col" title={words.crawlers.errorsTitle}>
                {words.crawlers.errors}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ value, ...sums }) => (
              <Row
                key={value}
                value={value}
                label={value === OTHER_VALUES ? words.values.others : format(value)}
                sums={sums}
                most={rows[0]?.hits ?? 0}
              />
            ))}
          </tbody>
        </table>
        <p class="list-foot">
          <span>
            {foot}
            {hidden > 0 && ` ${words.crawlers.notShown(hidden)}`}
          </span>
        </p>
      </div>
    </section>
  );
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

function describePurposes({ words, format }: Locale, { rows }: CrawlerValues): string {
  const hits = rows.reduce((sum, row) => sum + row.hits, 0);
  const purposes: Readonly<Record<Purpose, string>> = words.crawlers.purposes;
  const names = new Map<string, string>(Object.entries(purposes));
  const shares = rows.map((row) => `${names.get(row.value) ?? row.value} ${format.share(row.hits / hits)}`);
  return words.crawlers.purpose(shares.join(', '));
}
