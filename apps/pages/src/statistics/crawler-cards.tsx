import type { Period } from '@hitherto/domain/calendar';
import { countOf, formatValue } from '@hitherto/domain/format';
import {
  type CrawlerRepository,
  type CrawlerSums,
  type CrawlerValues,
  OTHER_VALUES,
  PURPOSES,
  type Purpose,
} from '@hitherto/domain/hits';
import { shareOf4xx } from '@hitherto/domain/reading';
import { ENGLISH } from '@hitherto/words';
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
  return (
    <div class="cards">
      <CrawlerCard
        list="operator"
        title="Crawlers"
        head="Operator"
        values={operators}
        format={(operator) => operator}
        foot={`${describePurposes(purposes)}.`}
      />
      <CrawlerCard
        list="page"
        title="Crawled pages"
        head="Page"
        values={pages}
        format={(page) => formatValue(ENGLISH, 'page', page)}
        foot="Hits of bots in this period, whatever the filters."
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
              <th scope="col">Hits</th>
              <th scope="col" title="The share of hits that were answered with a status from 400 to 499">
                Errors
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ value, ...sums }) => (
              <Row
                key={value}
                value={value}
                label={value === OTHER_VALUES ? 'All others' : format(value)}
                sums={sums}
                most={rows[0]?.hits ?? 0}
              />
            ))}
          </tbody>
        </table>
        <p class="list-foot">
          <span>
            {foot}
            {hidden > 0 && ` ${countOf(hidden, 'other is', 'others are')} not shown.`}
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
  const share4xx = shareOf4xx(sums);
  return (
    <tr data-value={value}>
      <th scope="row">
        <Bar share={sums.hits / most} />
        <span class="label">
          <bdi>{label}</bdi>
        </span>
      </th>
      <td data-metric="hits">{ENGLISH.format.count(sums.hits)}</td>
      <td data-metric="share_4xx">
        <data value={share4xx ?? ''}>{ENGLISH.format.rate(share4xx)}</data>
      </td>
    </tr>
  );
}

const PURPOSE_NAMES: Readonly<Record<Purpose, string>> = {
  search: 'search',
  ai_training: 'AI training',
  ai_search: 'AI search',
  ai_agent: 'AI agents',
  seo: 'SEO',
  preview: 'previews',
  monitoring: 'monitoring',
  other: 'other',
};

function describePurposes({ rows }: CrawlerValues): string {
  const hits = rows.reduce((sum, row) => sum + row.hits, 0);
  const names = new Map<string, string>(Object.entries(PURPOSE_NAMES));
  const shares = rows.map((row) => `${names.get(row.value) ?? row.value} ${ENGLISH.format.share(row.hits / hits)}`);
  return `Purpose: ${shares.join(', ')}`;
}
