import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCountedHit, histories } from '../../../testing/src/fixtures.ts';
import type { CountedHit } from '../../src/hits/hit.ts';
import { visitsOf } from '../../src/visits/visits.ts';

const at = (time: string) => ({ time: new Date(`2026-11-20T${time}Z`) });
const pagesOf = (hits: Parameters<typeof visitsOf>[0]) =>
  visitsOf(hits).map((visit) => visit.hits.map((hit) => hit.page));

describe('visitsOf', () => {
  test('no hits make no visits', () => {
    expect(visitsOf([])).toEqual([]);
  });

  test('a gap of 30 minutes belongs to the visit, a millisecond more ends it', () => {
    const hits = [
      aCountedHit({ page: '/a', ...at('12:00:00.000') }),
      aCountedHit({ page: '/b', ...at('12:30:00.000') }),
      aCountedHit({ page: '/c', ...at('13:00:00.001') }),
    ];

    expect(pagesOf(hits)).toEqual([['/a', '/b'], ['/c']]);
  });

  test('midnight ends a visit', () => {
    const hits = [
      aCountedHit({ time: new Date('2026-11-20T23:59:59.999Z') }),
      aCountedHit({ time: new Date('2026-11-21T00:00:00.000Z') }),
    ];

    expect(visitsOf(hits).map((visit) => visit.day)).toEqual(['2026-11-20', '2026-11-21']);
  });

  test('each visitor and each website has visits of its own', () => {
    const hits = [
      aCountedHit({ visitor: 1n }),
      aCountedHit({ visitor: 2n }),
      aCountedHit({ visitor: 1n, websiteId: '01997c3e-0000-7000-8000-000000000002' }),
    ];

    expect(visitsOf(hits)).toHaveLength(3);
  });

  test('hits of the same instant are ordered pageviews first, then by page and name in byte order', () => {
    const hits = [
      aCountedHit({ page: '/a', name: 'B' }),
      aCountedHit({ page: '/a', name: 'A' }),
      aCountedHit({ page: '/🦊' }),
      aCountedHit({ page: '/\uff5e' }),
      aCountedHit({ page: '/B' }),
      aCountedHit({ page: '/a' }),
    ];

    const [visit] = visitsOf(hits);

    expect(visit?.hits.map(({ page, name }) => [page, name])).toEqual([
      ['/B', null],
      ['/a', null],
      ['/\uff5e', null],
      ['/🦊', null],
      ['/a', 'A'],
      ['/a', 'B'],
    ]);
  });

  test('entry and exit page are the first and the last pageview, whatever events surround them', () => {
    const hits = [
      aCountedHit({ page: '/event', name: 'A', ...at('12:00:00.000') }),
      aCountedHit({ page: '/in', ...at('12:01:00.000') }),
      aCountedHit({ page: '/between', ...at('12:01:30.000') }),
      aCountedHit({ page: '/out', ...at('12:02:00.000') }),
      aCountedHit({ page: '/event', name: 'A', ...at('12:03:01.500') }),
    ];

    expect(visitsOf(hits)).toMatchObject([
      { entryPage: '/in', exitPage: '/out', pageviews: 3, events: 2, duration: 181_500, first: { name: 'A' } },
    ]);
  });

  test('a visit without pageviews has no entry and no exit page and is not a bounce', () => {
    expect(visitsOf([aCountedHit({ name: 'A' })])).toMatchObject([
      { entryPage: null, exitPage: null, pageviews: 0, events: 1, duration: 0, bounce: false },
    ]);
  });

  test.each([
    ['exactly one pageview is a bounce', [aCountedHit()], true],
    ['two pageviews are not', [aCountedHit(), aCountedHit()], false],
    ['a pageview and an event are not', [aCountedHit(), aCountedHit({ name: 'A' })], false],
  ])('%s', (_, hits, bounce) => {
    expect(visitsOf(hits)).toMatchObject([{ bounce }]);
  });

  test('what a visit takes from its first hit does not depend on the order of equal hits', () => {
    const hits = [aCountedHit({ source: null }), aCountedHit({ source: 'b' }), aCountedHit({ source: 'a' })];

    expect(visitsOf(hits)[0]?.first.source).toBe('a');
    expect(visitsOf(hits.toReversed())[0]?.first.source).toBe('a');
  });

  test('the host breaks only the ties that all earlier dimensions leave', () => {
    const hits = [
      aCountedHit({ device: 'tv', host: 'a.example' }),
      aCountedHit({ device: 'mobile', host: 'c.example' }),
      aCountedHit({ device: 'mobile', host: 'b.example' }),
    ];

    expect(visitsOf(hits)[0]?.first).toMatchObject({ device: 'mobile', host: 'b.example' });
    expect(visitsOf(hits.toReversed())[0]?.first).toMatchObject({ device: 'mobile', host: 'b.example' });
  });
});

describe('measures of pageviews', () => {
  const VIEW = { view: 7 };
  const measureOf = (seconds: number, scroll: number, overrides: Partial<CountedHit> = {}) =>
    aCountedHit({ ...VIEW, measure: { seconds, scroll }, ...overrides });
  const measured = (hits: readonly CountedHit[]) =>
    visitsOf(hits).flatMap((visit) => visit.hits.map(({ measure }) => measure));

  test('the greatest seconds and scroll of a view count, whatever order they come in', () => {
    const hits = [measureOf(30, 10), aCountedHit(VIEW), measureOf(5, 80), measureOf(30, 10)];

    for (const all of [hits, hits.toReversed()]) expect(measured(all)).toEqual([{ seconds: 30, scroll: 80 }]);
  });

  test.each([
    ['another view', { view: 8 }],
    ['another visitor', { visitor: 1n }],
    ['another day', { day: '2026-11-21' }],
  ])('those of %s do not', (_, other) => {
    expect(measured([aCountedHit(VIEW), measureOf(30, 10, other)])).toEqual([undefined]);
  });

  test('the first of several pageviews of a view is measured, and no event', () => {
    const hits = [aCountedHit({ name: 'Signup' }), aCountedHit(VIEW), aCountedHit(VIEW), measureOf(1, 2)];

    expect(measured(hits)).toEqual([{ seconds: 1, scroll: 2 }, undefined, undefined]);
  });

  test('increments are added to the last pageview of their page until then, up to half an hour', () => {
    const from = (seconds: number) => new Date(aCountedHit().time.getTime() + seconds * 1_000);
    const increment = (second: number, seconds: number, scroll: number, page = '/a') =>
      aCountedHit({ page, time: from(second), measure: { seconds, scroll } });
    const hits = [
      ...[0, 10, 20].map((second) => aCountedHit({ page: '/a', time: from(second) })),
      aCountedHit({ page: '/b', time: from(30) }),
      aCountedHit({ page: '/c', time: from(40), view: 7 }),
      aCountedHit({ page: '/d', time: from(50), name: 'Signup' }),
      ...[increment(0, 4, 90), increment(9, 5, 20), increment(20, 1_000, 1), increment(60, 1_000, 2)],
      ...[increment(29, 1, 1, '/b'), increment(60, 1, 1, '/c'), increment(60, 1, 1, '/d')],
    ];

    for (const all of [hits, hits.toReversed()]) {
      expect(measured(all)).toEqual([
        { seconds: 9, scroll: 90 },
        undefined,
        { seconds: 1_800, scroll: 2 },
        ...[undefined, undefined, undefined],
      ]);
    }
  });

  test('they are no hits: a visit of one pageview stays a bounce of no duration', () => {
    const late = new Date(aCountedHit().time.getTime() + 3_600_000);

    expect(visitsOf([aCountedHit(VIEW), measureOf(60, 100, { time: late })])).toMatchObject([
      { pageviews: 1, events: 0, duration: 0, bounce: true, seconds: 60 },
    ]);
  });
});

describe('visits of random histories', () => {
  test('the order of the hits does not change the visits', () => {
    const shuffled = histories().chain(({ hits }) =>
      fc.tuple(fc.constant(hits), fc.shuffledSubarray([...hits], { minLength: hits.length, maxLength: hits.length })),
    );

    fc.assert(
      fc.property(shuffled, ([hits, others]) => {
        const withoutTies = (all: typeof hits) =>
          visitsOf(all).map(({ hits: ofVisit, first, ...visit }) => ({
            ...visit,
            hits: ofVisit.length,
            first: { ...first, props: null, increments: undefined },
          }));

        expect(withoutTies(others)).toEqual(withoutTies(hits));
      }),
    );
  });

  test('every hit is in exactly one visit', () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const hits = history.hits.filter(({ measure }) => measure === undefined);
        const ofVisits = visitsOf(history.hits)
          .flatMap((visit) => visit.hits)
          .map(({ measure, increments, ...hit }) => hit);

        expect(ofVisits).toHaveLength(hits.length);
        expect(new Set(ofVisits)).toEqual(new Set(hits));
      }),
    );
  });
});
