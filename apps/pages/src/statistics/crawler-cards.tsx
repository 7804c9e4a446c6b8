import { countOf, formatCount, formatRate } from '@hitherto/domain/format';
import type { CrawlerListView, CrawlerRow, CrawlersView } from './crawlers-view.ts';
import { Bar } from './list-card.tsx';

/** Who crawls the website, and which pages; the owner alone sees it. */
export function CrawlerCards({ crawlers }: { readonly crawlers: CrawlersView }) {
  const [operators, pages] = crawlers.lists;
  return (
    <div class="cards">
      {operators && <CrawlerCard list={operators} foot={`${crawlers.purposes}.`} />}
      {pages && <CrawlerCard list={pages} foot="Hits of bots in this period, whatever the filters." />}
    </div>
  );
}

function CrawlerCard({ list, foot }: { readonly list: CrawlerListView; readonly foot: string }) {
  const id = `crawler-${list.list}`;
  const hidden = list.total - list.rows.length;
  return (
    <section class="card lists" id={id} aria-labelledby={`${id}-title`}>
      <div class="card-head">
        <h2 id={`${id}-title`}>{list.title}</h2>
      </div>
      <div class="list">
        <table data-crawlers={list.list}>
          <caption>{list.title}</caption>
          <thead>
            <tr>
              <th scope="col">{list.head}</th>
              <th scope="col">Hits</th>
              <th scope="col" title="The share of hits that were answered with a status from 400 to 499">
                Errors
              </th>
            </tr>
          </thead>
          <tbody>
            {list.rows.map((row) => (
              <Row key={row.value} row={row} />
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

function Row({ row: { value, label, bar, hits, share4xx } }: { readonly row: CrawlerRow }) {
  return (
    <tr data-value={value}>
      <th scope="row">
        <Bar share={bar} />
        <span class="label">
          <bdi>{label}</bdi>
        </span>
      </th>
      <td data-metric="hits">{formatCount(hits)}</td>
      <td data-metric="share_4xx">
        <data value={share4xx ?? ''}>{formatRate(share4xx)}</data>
      </td>
    </tr>
  );
}
