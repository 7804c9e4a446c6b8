import { describe, expect, test } from 'vitest';
import { sameTimeOn, timeZone } from '../../src/calendar/time-zone.ts';
import type { StatisticsQuery, StatisticsRepository } from '../../src/engine/statistics-repository.ts';
import { canView, type Entrance, type PageViewer } from '../../src/reading/can-view.ts';
import { showCompared } from '../../src/reading/compare.ts';
import { ratesOf, showCurrentVisitors, showOverview, showSeries } from '../../src/reading/show-statistics.ts';
import { withoutFewMeasured } from '../../src/visits/engagement.ts';
import type { SeriesPoint, Totals } from '../../src/visits/totals.ts';
import type { Privacy } from '../../src/websites/settings.ts';

function numbers(count: number): Totals {
  return {
    visitors: count,
    visits: count,
    pageviews: count,
    events: count,
    bounces: count,
    visitsWithPageviews: count,
    duration: count,
  };
}
const query = (from: string, to: string): StatisticsQuery => ({ websiteId: 'w', from, to, filters: [] });

/** On 19 November 2026, until 15:30 in Berlin. */
const NOW = new Date('2026-11-19T14:30:00.000Z');

describe('showCompared', () => {
  const zone = timeZone('Europe/Berlin');
  const read = async (asked: StatisticsQuery) => asked;
  const noSums = { hasSums: async () => false };
  const compare = async (
    from: string,
    to: string,
    comparison: 'previous' | 'year',
    now = NOW,
    statistics: Pick<StatisticsRepository, 'hasSums'> = noSums,
  ) => (await showCompared({ statistics, zone, now: () => now }, query(from, to), comparison, read)).compared;

  test('without a comparison there are only the numbers of the period', async () => {
    const deps = { statistics: noSums, zone, now: () => NOW };

    expect(await showCompared(deps, query('2026-11-01', '2026-11-28'), undefined, read)).toEqual({
      shown: query('2026-11-01', '2026-11-28'),
      compared: undefined,
    });
  });

  test.each([
    ['previous', '2026-11-01', '2026-11-18', '2026-10-14', '2026-10-31'],
    ['year', '2024-02-01', '2024-02-29', '2023-02-01', '2023-02-28'],
    ['previous', '2026-11-20', '2026-11-21', '2026-11-18', '2026-11-19'],
  ] as const)('whole days (%s) of a period that is over or to come', async (comparison, from, to, first, last) => {
    expect(await compare(from, to, comparison)).toEqual({
      days: { from: first, to: last, until: undefined, isUneven: false },
      shown: query(first, last),
    });
  });

  test.each([
    ['today', 'previous', '2026-11-19', '2026-11-19', '2026-11-18', '2026-11-18', '2026-11-18T14:30:00.000Z'],
    ['until today', 'previous', '2026-11-01', '2026-11-19', '2026-10-13', '2026-10-31', '2026-10-31T14:30:00.000Z'],
    ['that goes on', 'previous', '2026-11-16', '2026-11-22', '2026-11-09', '2026-11-12', '2026-11-12T14:30:00.000Z'],
    ['until today', 'year', '2026-11-01', '2026-11-19', '2025-11-01', '2025-11-19', '2025-11-19T14:30:00.000Z'],
    ['that goes on', 'year', '2026-11-01', '2026-11-30', '2025-11-01', '2025-11-19', '2025-11-19T14:30:00.000Z'],
  ] as const)(
    'a period %s is compared (%s) until the same time of day',
    async (_, comparison, from, to, first, last, time) => {
      const until = new Date(time);

      expect(await compare(from, to, comparison)).toEqual({
        days: { from: first, to: last, until, isUneven: false },
        shown: { ...query(first, last), until },
      });
    },
  );

  test('29 February is compared with the 28th', async () => {
    const compared = await compare('2028-02-29', '2028-02-29', 'year', new Date('2028-02-29T10:00:00.000Z'));

    expect(compared?.days.until).toEqual(new Date('2027-02-28T10:00:00.000Z'));
  });

  test('a day with sums is compared whole, because nobody knows their hours', async () => {
    const statistics = { hasSums: async (_: string, day: string) => day === '2026-11-17' };

    expect(await compare('2026-11-18', '2026-11-19', 'previous', NOW, statistics)).toEqual({
      days: { from: '2026-11-16', to: '2026-11-17', until: undefined, isUneven: true },
      shown: query('2026-11-16', '2026-11-17'),
    });
  });
});

describe('sameTimeOn', () => {
  test.each([
    ['the same time in winter', 'Europe/Berlin', '2026-11-02T08:00:00Z', '2026-10-20', '2026-10-20T07:00:00Z'],
    ['a time that the clock skips', 'Europe/Berlin', '2026-03-30T00:30:00Z', '2026-03-29', '2026-03-29T01:30:00Z'],
    ['such a time in the west', 'America/New_York', '2026-03-09T06:30:00Z', '2026-03-08', '2026-03-08T07:30:00Z'],
    [
      'a time that the clock shows twice',
      'Europe/Berlin',
      '2026-10-26T01:30:00Z',
      '2026-10-25',
      '2026-10-25T00:30:00Z',
    ],
    ['the second of two', 'Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-24', '2026-10-24T00:30:00Z'],
    ['a midnight that the clock skips', 'Africa/Cairo', '2026-04-24T21:10:00Z', '2026-04-24', '2026-04-23T22:10:00Z'],
  ])('finds %s', (_, zone, now, day, expected) => {
    expect(sameTimeOn(timeZone(zone), new Date(now), day)).toEqual(new Date(expected));
  });
});

describe('showOverview', () => {
  const zone = timeZone('Europe/Berlin');
  const at = (start: SeriesPoint['start'], count: number) => ({ start, ...numbers(count) });
  const DAYS = [at('2026-11-14', 1), at('2026-11-15', 2), at('2026-11-16', 4), at('2026-11-22', 8)];
  const HOURS = [
    { day: '2026-11-15', ...at(new Date('2026-11-15T22:00:00Z'), 3) },
    { day: '2026-11-16', ...at(new Date('2026-11-15T23:00:00Z'), 5) },
    { day: '2026-11-16', ...at(new Date('2026-11-17T01:00:00Z'), 7) },
  ];
  const daysOf = ({ from, to }: StatisticsQuery) =>
    DAYS.filter(({ start }) => typeof start === 'string' && from <= start && start <= to);
  const hoursOf = ({ from, to }: StatisticsQuery) =>
    HOURS.filter(({ day }) => from <= day && day <= to).map(({ day, ...hour }) => hour);
  const statistics = {
    overview: async (asked: StatisticsQuery) => ({ days: daysOf(asked), values: new Map() }),
    series: async (asked: StatisticsQuery, interval: 'hour' | 'day') =>
      interval === 'day' ? daysOf(asked) : hoursOf(asked),
    hasSums: async () => false,
    /** Until a moment, a half of the day's numbers. */
    totals: async (asked: StatisticsQuery) => numbers((daysOf(asked)[0]?.visitors ?? 0) / (asked.until ? 2 : 1)),
  };
  const show = (interval: 'hour' | 'week', from: string, to: string, now = '2026-12-01T12:00:00Z') =>
    showOverview({ statistics, zone, now: () => new Date(now) }, query(from, to), interval, [], 10);

  test('has the totals and the points of the period and of the previous one', async () => {
    const { current, previous } = await show('week', '2026-11-16', '2026-11-22');

    expect(current).toEqual({ totals: numbers(12), points: [at('2026-11-16', 12)] });
    expect(previous).toMatchObject({ totals: numbers(3), points: [at('2026-11-09', 3)] });
  });

  test('of a period that is not over has totals of the previous one until the same time, and all its points', async () => {
    const { previous } = await show('week', '2026-11-17', '2026-11-19', '2026-11-18T12:00:00Z');

    expect(previous.days).toEqual({
      from: '2026-11-14',
      to: '2026-11-15',
      until: new Date('2026-11-15T12:00:00Z'),
      isUneven: false,
    });
    expect(previous.totals).toEqual(numbers(2));
    expect(previous.points).toEqual([at('2026-11-09', 3), at('2026-11-16', 4)]);
  });

  test('has only the numbers of each period in a week that both share', async () => {
    const { current, previous } = await show('week', '2026-11-15', '2026-11-15');

    expect(current).toEqual({ totals: numbers(2), points: [at('2026-11-09', 2)] });
    expect(previous).toMatchObject({ totals: numbers(1), points: [at('2026-11-09', 1)] });
  });

  test('has the totals of the day for a day by hours', async () => {
    const { current, previous } = await show('hour', '2026-11-16', '2026-11-16');

    expect([current.totals, previous.totals]).toEqual([numbers(4), numbers(2)]);
    expect(current.points[0]).toEqual(at(new Date('2026-11-15T23:00:00Z'), 5));
    expect(previous.points.at(-1)).toEqual(at(new Date('2026-11-15T22:00:00Z'), 3));
    expect([current.points.length, previous.points.length]).toEqual([24, 24]);
  });

  test('counts no hour of the day before, whose hours in an earlier zone can be within the day', async () => {
    const { current } = await show('hour', '2026-11-17', '2026-11-17');

    expect(current.points.map(({ visitors }) => visitors)).toEqual(Array.from({ length: 24 }, () => 0));
  });
});

describe('showSeries', () => {
  const zone = timeZone('Europe/Berlin');
  const show = async (interval: 'hour' | 'day' | 'week' | 'month', from: string, to: string, points: SeriesPoint[]) => {
    const series = await showSeries({ statistics: { series: async () => points }, zone }, query(from, to), interval);
    return series.map(({ start, ...totals }) => {
      expect(totals).toEqual(numbers(totals.visitors));
      return [typeof start === 'string' ? start : start.toISOString(), totals.visitors];
    });
  };

  test('every day has a point, with zeros if it has no hits', async () => {
    const points = [{ start: '2026-10-24', ...numbers(2) }];

    expect(await show('day', '2026-10-23', '2026-10-25', points)).toEqual([
      ['2026-10-23', 0],
      ['2026-10-24', 2],
      ['2026-10-25', 0],
    ]);
  });

  test('a week starts on Monday, even if the period cuts it, with the numbers of the period', async () => {
    const points = [
      { start: '2026-11-01', ...numbers(1) },
      { start: '2026-11-02', ...numbers(2) },
      { start: '2026-11-08', ...numbers(3) },
    ];

    expect(await show('week', '2026-11-01', '2026-11-16', points)).toEqual([
      ['2026-10-26', 1],
      ['2026-11-02', 5],
      ['2026-11-09', 0],
      ['2026-11-16', 0],
    ]);
  });

  test('a month starts on its first day, even if the period cuts it', async () => {
    const points = [
      { start: '2026-11-30', ...numbers(1) },
      { start: '2026-12-01', ...numbers(2) },
    ];

    expect(await show('month', '2026-11-15', '2027-01-02', points)).toEqual([
      ['2026-11-01', 1],
      ['2026-12-01', 2],
      ['2027-01-01', 0],
    ]);
  });

  test('every hour has a point on a day when clocks change', async () => {
    const points = [{ start: new Date('2026-10-25T01:00:00Z'), ...numbers(1) }];

    const hours = await show('hour', '2026-10-25', '2026-10-25', points);

    expect(hours).toHaveLength(25);
    expect(hours.filter(([, visitors]) => visitors === 1)).toEqual([['2026-10-25T01:00:00.000Z', 1]]);
  });

  test('an hour that was summarised in another time zone counts where it began', async () => {
    const points = [
      { start: new Date('2026-11-16T10:15:00Z'), ...numbers(1) },
      { start: new Date('2026-11-16T11:15:00Z'), ...numbers(2) },
    ];

    const hours = await show('hour', '2026-11-16', '2026-11-16', points);

    expect(hours.filter(([, visitors]) => visitors !== 0)).toEqual([
      ['2026-11-16T10:00:00.000Z', 1],
      ['2026-11-16T11:00:00.000Z', 2],
    ]);
  });

  test('an hour keeps its own point where clocks change by half an hour', async () => {
    const points = [
      { start: new Date('2026-04-04T14:00:00Z'), ...numbers(1) },
      { start: new Date('2026-04-04T14:30:00Z'), ...numbers(2) },
    ];
    const statistics = { series: async () => points };

    const hours = await showSeries(
      { statistics, zone: timeZone('Australia/Lord_Howe') },
      query('2026-04-05', '2026-04-05'),
      'hour',
    );

    expect(hours.slice(0, 4).map(({ visitors }) => visitors)).toEqual([0, 1, 2, 0]);
  });
});

describe('showCurrentVisitors', () => {
  test('counts those of the last 5 minutes, none ahead of now', async () => {
    const now = () => new Date('2026-11-20T12:00:00Z');
    const asked: Date[] = [];
    const statistics = { visitorsBetween: async (_: string, since: Date, until: Date) => asked.push(since, until) };

    await showCurrentVisitors({ statistics, now }, 'w');

    expect(asked).toEqual([new Date('2026-11-20T11:55:00Z'), now()]);
  });
});

describe('ratesOf', () => {
  test('means of engagement are of measured pageviews, and its rate of visits with one', () => {
    const engagement = { measured: 3, seconds: 100, scroll: 200, measuredVisits: 3, engagedVisits: 2 };

    expect(ratesOf({ ...numbers(9), engagement })).toMatchObject({
      engagedSeconds: 33.3,
      scrollDepth: 67,
      engagementRate: 0.6667,
    });
    expect(ratesOf(numbers(9))).toMatchObject({ engagedSeconds: null, scrollDepth: null, engagementRate: null });
  });

  test('guests see no means of fewer than 5 measured pageviews', () => {
    const of = (measured: number) =>
      withoutFewMeasured({ engagement: { measured, seconds: 50, scroll: 50, measuredVisits: 1, engagedVisits: 1 } });

    expect([of(4), of(5)].map(({ engagement }) => engagement.measured)).toEqual([0, 5]);
  });

  const rates = (totals: Partial<Totals>) => ratesOf({ ...numbers(0), ...totals });

  test('are null without visits', () => {
    expect(rates({})).toMatchObject({ bounceRate: null, visitDuration: null, viewsPerVisit: null });
  });

  test('have no bounce rate without pageviews', () => {
    expect(rates({ visits: 1, events: 1 })).toMatchObject({ bounceRate: null, visitDuration: 0, viewsPerVisit: 0 });
  });

  test('are rounded to 4, 1 and 2 decimals, halves up', () => {
    const totals = { visits: 3, pageviews: 7, bounces: 1, visitsWithPageviews: 3, duration: 184_500 };

    expect(rates(totals)).toMatchObject({ bounceRate: 0.3333, visitDuration: 61.5, viewsPerVisit: 2.33 });
    expect(rates({ visits: 200, pageviews: 201 }).viewsPerVisit).toBe(1.01);
    expect(rates({ visits: 1, duration: 50 }).visitDuration).toBe(0.1);
    expect(rates({ visitsWithPageviews: 3, bounces: 2 }).bounceRate).toBe(0.6667);
  });
});

describe('canView', () => {
  test.each([
    ['public', 'member', 'page'],
    ['public', 'unlocked', 'page'],
    ['public', 'anyone', 'page'],
    ['private', 'member', 'page'],
    ['private', 'unlocked', 'not_found'],
    ['private', 'anyone', 'not_found'],
    ['password', 'member', 'page'],
    ['password', 'unlocked', 'page'],
    ['password', 'anyone', 'form'],
  ] satisfies [Privacy, PageViewer, string][])('a %s page for %s: %s', (privacy, viewer, view) => {
    expect(canView('own', privacy, viewer)).toBe(view);
  });

  test.each([
    ['link', 'member', 'page'],
    ['link', 'unlocked', 'page'],
    ['link', 'anyone', 'page'],
    ['link_with_password', 'member', 'page'],
    ['link_with_password', 'unlocked', 'page'],
    ['link_with_password', 'anyone', 'form'],
    ['ended_link', 'member', 'not_found'],
    ['ended_link', 'unlocked', 'not_found'],
    ['ended_link', 'anyone', 'not_found'],
  ] satisfies [Entrance, PageViewer, string][])('a %s for %s: %s, whatever the privacy', (entrance, viewer, view) => {
    for (const privacy of ['public', 'private', 'password'] as const) {
      expect(canView(entrance, privacy, viewer)).toBe(view);
    }
  });
});
