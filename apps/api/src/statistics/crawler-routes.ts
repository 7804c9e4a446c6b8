import { defaultInterval, type TimeZone } from '@hitherto/domain/calendar';
import {
  CRAWLER_LISTS,
  type CrawlerList,
  type CrawlerRepository,
  type CrawlerSums,
  MAX_CRAWLER_VALUES,
} from '@hitherto/domain/hits';
import { defaultCrawlerInterval, shareOf4xx, showCrawlerSeries, showCrawlers } from '@hitherto/domain/reading';
import { HttpProblem } from '@hitherto/http';
import { shapeFaults } from '../requests/input.ts';
import { type Asked, readAskedPeriod, rejectFaults } from './read-query.ts';
import { metaOf } from './resources.ts';
import * as documented from './route-schemas.ts';
import type { Reads, Request } from './routes.ts';

export interface CrawlerDependencies {
  readonly crawlers: CrawlerRepository;
  readonly now: () => Date;
}

/** The sums of bots' hits (counting.md, "Crawlers"). */
export function crawlerRoutes({ get }: Pick<Reads, 'get'>, { crawlers, now }: CrawlerDependencies): void {
  const asked = (request: Request, zone: TimeZone): Asked => {
    const wanted = readAskedPeriod(request.query, shapeFaults(request), zone, now());
    rejectFaults(wanted.faults);
    return wanted;
  };

  get('/crawlers', documented.crawlers, (request, zone) => {
    const wanted = asked(request, zone);
    return async ({ websiteId }) => ({
      data: toSums(await showCrawlers({ crawlers }, websiteId, wanted.period)),
      meta: metaOf(wanted),
    });
  });

  get('/crawlers/series', documented.crawlerSeries, (request, zone) => {
    const wanted = asked(request, zone);
    const interval = defaultCrawlerInterval(wanted.query.interval ?? defaultInterval(wanted.period));
    return async ({ websiteId }) => {
      const points = await showCrawlerSeries({ crawlers, zone }, websiteId, wanted.period, interval);
      return {
        data: points.map(({ start, ...sums }) => ({ start, ...toSums(sums) })),
        meta: { ...metaOf(wanted), interval },
      };
    };
  });

  get('/crawlers/by/:dimension', documented.crawlerValues, (request, zone) => {
    const wanted = asked(request, zone);
    const list = listOf(request);
    return async ({ websiteId }) => {
      const { from, to } = wanted.period;
      const { rows, total } = await crawlers.values(websiteId, from, to, list, MAX_CRAWLER_VALUES);
      return {
        data: rows.map(({ value, ...sums }) => ({ value, ...toSums(sums) })),
        meta: { ...metaOf(wanted), total },
      };
    };
  });
}

function toSums(sums: CrawlerSums) {
  return { hits: sums.hits, share_4xx: shareOf4xx(sums) };
}

/** The list of the path. Throws `not_found` where there is no such list. */
function listOf({ params }: Request): CrawlerList {
  const list = CRAWLER_LISTS.find((name) => name === params.dimension);
  if (list === undefined) throw new HttpProblem('not_found');
  return list;
}
