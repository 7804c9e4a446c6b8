import type { Dimension } from '@hitherto/domain';

// The addresses of a website's statistics (statistics.md, section 6).

export function statisticsPath(id: string): string {
  return `/statistics/${id}`;
}

export function unlockPath(id: string): string {
  return `/statistics/${id}/unlock`;
}

export function seriesCsvPath(id: string): string {
  return `/statistics/${id}/series.csv`;
}

export function listPath(id: string, dimension: Dimension | 'property'): string {
  return `/statistics/${id}/by/${dimension}`;
}

export function listCsvPath(id: string, dimension: Dimension | 'property'): string {
  return `${listPath(id, dimension)}.csv`;
}
