import type { StatisticsEngine } from '@hitherto/domain/engine';

/** Years that contain every hit. */
const PERIOD = { from: '2026-01-01', to: '2027-12-31' };
/** How many values each list has at most. */
export const MOST_VALUES = 50;

/** All reads of a website over the period, by name. */
export async function readAll(
  { statistics }: Pick<StatisticsEngine, 'statistics'>,
  websiteId: string,
  period = PERIOD,
) {
  const query = { websiteId, ...period, filters: [] };
  return {
    totals: await statistics.totals(query),
    days: await statistics.series(query, 'day'),
    hours: await statistics.series(query, 'hour'),
    pages: await statistics.values(query, 'page', MOST_VALUES),
    'entry pages': await statistics.values(query, 'entry_page', MOST_VALUES),
    'exit pages': await statistics.values(query, 'exit_page', MOST_VALUES),
    sources: await statistics.values(query, 'source', MOST_VALUES),
    countries: await statistics.values(query, 'country', MOST_VALUES),
  };
}
