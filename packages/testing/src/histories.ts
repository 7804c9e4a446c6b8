import { dayOf, type TimeZone, timeZone } from '@hitherto/domain/calendar';
import { bareDetails, type CountedHit } from '@hitherto/domain/hits';
import { VISIT_GAP_MS } from '@hitherto/domain/visits';
import fc from 'fast-check';

/** A pageview for tests; its strings are mildly hostile on purpose. Its day is UTC's. */
export function aCountedHit(overrides: Partial<CountedHit> = {}): CountedHit {
  const time = overrides.time ?? new Date('2026-11-20T12:00:00.123Z');
  return {
    websiteId: '01997c3e-0000-7000-8000-000000000001',
    time,
    day: time.toISOString().slice(0, 10),
    visitor: 0xffff_ffff_ffff_fffen,
    ...bareDetails('xn--caf-dma.example', '/a%20b/é?q="<🦊>"'),
    referrer: 'other.example/é',
    source: 'Ünïcode 🦊',
    channel: 'Referral',
    country: 'DE',
    language: 'de',
    browser: 'Firefox',
    os: 'Linux',
    device: 'desktop',
    ...overrides,
  };
}

/** Hits of one website in any order, with the zone that their days are in. */
export interface History {
  readonly zone: TimeZone;
  readonly hits: readonly CountedHit[];
}

/** Instants that histories go on from: before midnight in some zone, on days when clocks change, at a year's end. */
const BEGINNINGS: Record<string, readonly string[]> = {
  UTC: ['2026-11-20T12:00:00.000Z', '2026-11-30T23:40:00.000Z', '2026-12-31T23:30:00.000Z'],
  'Europe/Berlin': ['2026-03-29T00:30:00.000Z', '2026-10-25T00:10:00.000Z', '2026-10-25T22:30:00.000Z'],
  'America/New_York': ['2026-11-01T05:20:00.000Z', '2026-11-01T03:40:00.000Z'],
  'Asia/Kathmandu': ['2026-11-20T18:05:00.000Z'],
  'Pacific/Kiritimati': ['2026-11-20T09:50:00.000Z'],
  'Pacific/Pago_Pago': ['2026-11-20T10:50:00.000Z'],
  'Australia/Lord_Howe': ['2026-04-04T14:00:00.000Z', '2026-10-03T14:45:00.000Z'],
};

/** The time since the hit before, in milliseconds: ties, the longest gap of a visit and the shortest between two. */
const gaps = fc.constantFrom(
  0,
  0,
  1,
  999,
  61_500,
  600_000,
  VISIT_GAP_MS - 1,
  VISIT_GAP_MS,
  VISIT_GAP_MS + 1,
  7_200_000,
  86_400_000,
);
const texts = fc.constantFrom(null, 'a', 'B', 'é', '\uff5e', '🦊', '%_\\', '=1+1', 'x'.repeat(300));

const views = fc.option(fc.constantFrom(1, 2, 2 ** 32 - 1), { freq: 1, nil: undefined });
const pages = fc.constantFrom('/', '/a', '/B', '/é', '/\uff5e', '/🦊', '/a?q=1');

const steps = fc.record({
  gap: gaps,
  view: views,
  measures: fc.array(
    fc.record({
      view: views,
      page: pages,
      seconds: fc.constantFrom(0, 9, 10, 1_800),
      scroll: fc.constantFrom(0, 50, 100),
    }),
    { maxLength: 2 },
  ),
  hit: fc.record({
    visitor: fc.constantFrom(0n, 1n, 0x8000_0000_0000_0000n, 0xffff_ffff_ffff_ffffn),
    page: pages,
    host: fc.constantFrom('example.com', 'shop.example.com', 'xn--bcher-kva.example'),
    name: fc.option(fc.constantFrom('Signup', 'signup', 'é', '🦊'), { freq: 2, nil: null }),
    referrer: texts,
    source: texts,
    channel: fc.constantFrom('Direct' as const, 'Search' as const, 'AI assistants' as const),
    utmSource: texts,
    utmMedium: texts,
    utmCampaign: texts,
    utmContent: texts,
    utmTerm: texts,
    country: fc.constantFrom(null, 'DE', 'FR'),
    language: fc.constantFrom(null, 'de', 'fr'),
    browser: fc.constantFrom(null, 'Firefox', 'Chrome'),
    os: fc.constantFrom(null, 'Linux', 'iOS'),
    device: fc.constantFrom('desktop' as const, 'mobile' as const, 'other' as const),
    network: fc.constantFrom(null, 'hosting' as const),
    props: fc.oneof(
      fc.constant(null),
      fc.dictionary(fc.constantFrom('plan', 'é', '__proto__'), fc.oneof(texts.map(String), fc.integer(), fc.boolean())),
    ),
  }),
});

/**
 * Random histories: a few visitors whose visits interleave, around midnight, with gaps of exactly 30 minutes, hits of the
 * same instant, values that are equal except for their case, and non-ASCII strings. Only events have properties. Among the hits are
 * totals and increments of pageviews, and some that have no pageview.
 */
export function histories(websiteId = aCountedHit().websiteId, maxHits = 40): fc.Arbitrary<History> {
  return fc
    .record({
      begin: fc.constantFrom(
        ...Object.entries(BEGINNINGS).flatMap(([zone, times]) => times.map((time) => ({ zone, time }))),
      ),
      steps: fc.array(steps, { maxLength: maxHits }),
    })
    .map(({ begin, steps }) => {
      const zone = timeZone(begin.zone);
      let time = new Date(begin.time).getTime();
      const hits = steps.flatMap(({ gap, hit, view, measures }) => {
        time += gap;
        const at = new Date(time);
        const props = hit.name === null ? null : hit.props;
        const of = { websiteId, time: at, day: dayOf(zone, at), visitor: hit.visitor };
        return [
          aCountedHit({ ...hit, ...of, props, ...(hit.name === null && view !== undefined ? { view } : {}) }),
          ...measures.map(({ view: measured, page, ...measure }) => ({
            ...bareDetails('', measured === undefined ? page : ''),
            ...of,
            ...(measured === undefined ? {} : { view: measured }),
            measure,
          })),
        ];
      });
      return { zone, hits };
    });
}
