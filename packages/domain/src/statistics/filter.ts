import type { Dimension, Filter } from './dimension.ts';
import type { CountedHit } from './hit.ts';
import type { Visit } from './visits.ts';

/** The dimensions that a visit takes from its first hit. */
const OF_FIRST_HIT = {
  channel: (hit) => hit.channel,
  source: (hit) => hit.source,
  referrer: (hit) => hit.referrer,
  utm_source: (hit) => hit.utmSource,
  utm_medium: (hit) => hit.utmMedium,
  utm_campaign: (hit) => hit.utmCampaign,
  utm_content: (hit) => hit.utmContent,
  utm_term: (hit) => hit.utmTerm,
  country: (hit) => hit.country,
  language: (hit) => hit.language,
  browser: (hit) => hit.browser,
  os: (hit) => hit.os,
  device: (hit) => hit.device,
} as const satisfies Partial<Record<Dimension, (hit: CountedHit) => string | null>>;

/**
 * The different values that a visit has of a dimension, `null` for none. They are one but of `page`, the pages of its
 * pageviews, and of `event`, the names of its events; a visit without any has none of these.
 */
export function valuesOf(visit: Visit, dimension: Dimension): (string | null)[] {
  switch (dimension) {
    case 'page':
      return [...new Set(visit.hits.filter((hit) => hit.name === null).map((hit) => hit.page))];
    case 'event':
      return [...new Set(visit.hits.map((hit) => hit.name).filter((name) => name !== null))];
    case 'entry_page':
      return [visit.entryPage];
    case 'exit_page':
      return [visit.exitPage];
    default:
      return [OF_FIRST_HIT[dimension](visit.first)];
  }
}

/** Tells whether all of the filters choose the visit (statistics.md, section 5). */
export function isChosen(visit: Visit, filters: readonly Filter[]): boolean {
  return filters.every(({ dimension, value }) => {
    const values = valuesOf(visit, dimension);
    return values.length === 0 ? value === null : values.includes(value);
  });
}
