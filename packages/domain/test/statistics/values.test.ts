import { describe, expect, test } from 'vitest';
import { aCountedHit } from '../../../testing/src/fixtures.ts';
import { FIRST_HIT_DIMENSIONS } from '../../src/hits/dimensions.ts';
import { valuesOf } from '../../src/visits/values.ts';
import { type Visit, visitsOf } from '../../src/visits/visits.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));

function visitOf(...hits: Parameters<typeof visitsOf>[0]): Visit {
  const [visit] = visitsOf(hits);
  if (visit === undefined) throw new Error('These hits make no visit.');
  return visit;
}

describe('valuesOf', () => {
  test('a visit has the pages of its pageviews and the names of its events, each once', () => {
    const visit = visitOf(
      aCountedHit({ page: '/a', time: at(0) }),
      aCountedHit({ page: '/b', time: at(1) }),
      aCountedHit({ page: '/a', time: at(2) }),
      aCountedHit({ page: '/event', name: 'Signup', time: at(3) }),
      aCountedHit({ page: '/event', name: 'Signup', time: at(4) }),
    );

    expect(valuesOf(visit, 'page')).toEqual(['/a', '/b']);
    expect(valuesOf(visit, 'event')).toEqual(['Signup']);
    expect(valuesOf(visit, 'entry_page')).toEqual(['/a']);
    expect(valuesOf(visit, 'exit_page')).toEqual(['/a']);
  });

  test('every other dimension has the value of the first hit', () => {
    const first = aCountedHit({
      time: at(0),
      channel: 'Search',
      source: 'so',
      referrer: 're',
      utmSource: 'us',
      utmMedium: 'um',
      utmCampaign: 'uc',
      utmContent: 'uo',
      utmTerm: 'ut',
      country: 'FR',
      language: 'fr',
      browser: 'Safari',
      os: 'iOS',
      device: 'mobile',
      host: 'ho',
      network: 'hosting',
    });
    const visit = visitOf(aCountedHit({ time: at(1) }), first);

    expect(FIRST_HIT_DIMENSIONS.map((dimension) => valuesOf(visit, dimension))).toEqual(
      [
        ...['Search', 'so', 're', 'us', 'um', 'uc', 'uo', 'ut', 'FR', 'fr', 'Safari', 'iOS', 'mobile', 'ho'],
        'hosting',
      ].map((text) => [text]),
    );
  });
});
