import type { StatisticsEngine } from '@hitherto/domain';

/** All reads of a website over two years, by name. */
export async function readAll({ statistics }: Pick<StatisticsEngine, 'statistics'>, websiteId: string) {
  const query = { websiteId, from: '2026-01-01', to: '2027-12-31', filters: [] };
  return {
    totals: await statistics.totals(query),
    days: await statistics.series(query, 'day'),
    hours: await statistics.series(query, 'hour'),
    pages: await statistics.values(query, 'page', 10),
    'entry pages': await statistics.values(query, 'entry_page', 10),
    'exit pages': await statistics.values(query, 'exit_page', 10),
    sources: await statistics.values(query, 'source', 10),
    countries: await statistics.values(query, 'country', 10),
  };
}
