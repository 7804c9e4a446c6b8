import type { Report } from '@hitherto/domain/reports';
import { GAPS, NO_TOTALS } from '@hitherto/domain/visits';
import { aReportPeriod } from '@hitherto/testing/fixtures';
import { localeOf } from '@hitherto/words';
import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/mail/html.tsx';
import { type ReportView, viewOf } from '../../src/mail/report-view.ts';
import { renderText } from '../../src/mail/text.ts';
import { aMail, anUnfinishedMail, aReport, goals, totals, values } from './support.ts';

const subjectOf = (overrides: Parameters<typeof aReport>[0]) => viewOf(aMail({ report: aReport(overrides) })).subject;

describe('the subject', () => {
  test.each([
    [1_234, 1_100, 'example.com: 1,234 visitors last week, 12 % more than before'],
    [1, 2, 'example.com: 1 visitor last week, 50 % less than before'],
    [7, 0, 'example.com: 7 visitors last week'],
    [0, 9, 'example.com: 0 visitors last week, 100 % less than before'],
    [100, 100, 'example.com: 100 visitors last week, as many as before'],
    [12_345_678, 1, 'example.com: 12,345,678 visitors last week, 1,234,567,700 % more than before'],
  ])('of %d visitors after %d', (now, before, subject) => {
    expect(subjectOf({ totals: totals(now), previous: totals(before) })).toBe(subject);
  });

  test('names the days of an older week', () => {
    expect(subjectOf({ isLast: false })).toBe(
      'example.com: 1,234 visitors, 16 Nov to 22 Nov 2026, 12 % more than before',
    );
  });

  test('marks an unfinished week', () => {
    expect(viewOf(anUnfinishedMail()).subject).toBe(
      'example.com: 1,234 visitors so far, 16 Nov to 22 Nov 2026, 12 % more than before',
    );
  });

  test('has one line and a bounded length, whatever the address', () => {
    const subject = subjectOf({ url: `https://xn--caf-dma.example/${'%20'.repeat(600)}` });

    expect(subject).toMatch(/^café\.example\/(?:%20)+%?2?…: 1,234 visitors last week, 12 % more than before$/);
    expect(subject.length).toBeLessThan(110);
  });
});

test('the five numbers come with their change', () => {
  const { figures } = viewOf(aMail());

  expect(figures.map(({ name, value, change, isGood }) => [name, value, change, isGood])).toEqual([
    ['Visitors', '1,234', '12\u00a0% more', true],
    ['Visits', '1,400', '8\u00a0% more', true],
    ['Pageviews', '3,210', '6\u00a0% less', false],
    ['Bounce rate', '38\u00a0%', '9\u00a0points more', false],
    ['Visit duration', '1\u00a0m 52\u00a0s', '7\u00a0% less', false],
  ]);
});

describe('numbers of imported days', () => {
  const sums = (gaps: number) => ({ ...totals(1_234), visits: 0, gaps });

  test('leave out visits that are unknown', () => {
    const view = viewOf(aMail({ report: aReport({ totals: sums(GAPS.visits) }) }));

    expect(view.figures[1]).toMatchObject({ name: 'Visits', value: '–', change: undefined });
    expect(view.preheader).toBe('16 Nov to 22 Nov 2026: 3,210 pageviews.');
  });

  test('say where there are at most as many visitors', () => {
    const atMost = { ...sums(GAPS.visitorsAtMost), visits: 1_400 };
    const others = aReport().points.slice(1);
    const report = aReport({
      totals: atMost,
      points: [{ ...atMost, start: '2026-11-16' }, ...others],
      lists: { ...aReport().lists, page: [{ ...atMost, value: '/' }] },
    });

    const view = viewOf(aMail({ report }));

    expect(view.subject).toBe('example.com: ≤ 1,234 visitors last week, 12 % more than before');
    expect(view.figures[0]?.value).toBe('≤\u00a01,234');
    expect(view.points.map(({ count }) => count)).toEqual(['≤\u00a01,234', '180', '205', '190', '220', '129', '100']);
    expect(view.lists[0]?.rows).toEqual([{ value: '/', count: '≤\u00a01,234' }]);
    expect(view.definition).toContain('≤ means at most');
  });
});

test('numbers are compared with the week before', () => {
  expect(viewOf(aMail()).period).toBe('16 Nov to 22 Nov 2026 (week 47), compared with the week before');
});

test('a week across two years shows both years', () => {
  const report = aReport({ period: aReportPeriod('2026-W01') });

  expect(viewOf(aMail({ report })).period).toBe('29 Dec 2025 to 4 Jan 2026 (week 1), compared with the week before');
});

describe('a month', () => {
  const points = [10, 70, 60, 50, 40, 30].map((visitors) => ({ ...totals(visitors), start: '' }));
  const report = aReport({ period: aReportPeriod('2026-11'), points });

  test('is named, and compared with as many days before', () => {
    const view = viewOf(aMail({ report }));

    expect(view.period).toBe('Nov 2026, compared with the 30 days before');
    expect(view.subject).toBe('example.com: 1,234 visitors, Nov 2026, 12 % more than before');
    expect(view.preheader).toBe('Nov 2026: 1,400 visits and 3,210 pageviews.');
    expect(view.reason).toBe('You get this mail because monthly reports are on for this website.');
  });

  test('has its weeks, the first and the last of which may be short', () => {
    const { pointsTitle, points: weeks } = viewOf(aMail({ report }));

    expect(pointsTitle).toBe('Visitors by week');
    expect(weeks.map(({ name }) => name)).toEqual([
      '1 Nov',
      '2 Nov to 8 Nov',
      '9 Nov to 15 Nov',
      '16 Nov to 22 Nov',
      '23 Nov to 29 Nov',
      '30 Nov',
    ]);
    expect(weeks[1]).toMatchObject({ count: '70', share: 1 });
  });
});

test('a mail is in the language of its recipient', () => {
  const view = viewOf(aMail({ locale: localeOf('de') }));

  expect(view.subject).toBe('example.com: 1.234 Besucher letzte Woche, 12 % mehr als davor');
  expect(view.period).toBe('16. Nov. bis 22. Nov. 2026 (Woche 47), verglichen mit der Woche davor');
  expect(view.lists.map(({ title }) => title)).toContain('Quellen nach Besuchern');
});

test('the bars are shares of the busiest day', () => {
  const { points: days } = viewOf(aMail());

  expect(days.map(({ name }) => name.slice(0, 3)).join(' ')).toBe('Mon Tue Wed Thu Fri Sat Sun');
  expect(days[4]).toEqual({ name: 'Fri 20 Nov', count: '220', share: 1 });
  expect(days[6]?.share).toBeCloseTo(100 / 220);
});

describe('an unfinished week', () => {
  const { report } = anUnfinishedMail();
  const viewWith = (overrides: Partial<Report>) => viewOf(anUnfinishedMail({ goals: goals('Signup'), ...overrides }));
  const changesIn = ({ figures, goals: shown }: ReportView) => [...figures, ...shown].map(({ change }) => change);

  test('has no numbers for the days ahead', () => {
    const { points: days } = viewWith({});

    expect(days.map(({ count }) => count)).toEqual(['210', '180', '205', undefined, undefined, undefined, undefined]);
  });

  test('is compared with the week before until the same time', () => {
    const view = viewWith({});

    expect([view.notice, view.period]).toEqual([
      'This week is not over yet. Compared with 9 Nov to 11 Nov at 11:00.',
      '16 Nov to 22 Nov 2026 (week 47)',
    ]);
    expect(changesIn(view)[0]).toBe('12\u00a0% more');
    expect(changesIn(view).at(-1)).toBe('25\u00a0% more');
  });

  test.each([
    [
      'of whose hours nothing is known',
      { previousDays: { ...report.previousDays, until: undefined, isUneven: true } },
      'This week is not over yet. Not compared: the hours of 11 Nov are not known.',
    ],
    ['in which nothing was counted', { previous: NO_TOTALS }, 'This week is not over yet.'],
    [
      'that is not over, if it has not begun',
      { previousDays: { ...report.previousDays, to: '2026-11-15', until: undefined } },
      'This week is not over yet.',
    ],
  ])('is not compared with a week %s', (_, overrides, notice) => {
    const view = viewWith(overrides);

    expect(view.notice).toBe(notice);
    expect(view.subject).toBe('example.com: 1,234 visitors so far, 16 Nov to 22 Nov 2026');
    expect(changesIn(view).every((change) => change === undefined)).toBe(true);
  });
});

test('values have readable names, and empty lists are left out', () => {
  const lists = { page: values('/'), source: values(null), country: values('DE', 'XX'), event: [] };

  expect(viewOf(aMail({ report: aReport({ lists }) })).lists).toEqual([
    { title: 'Pages by visitors', rows: [{ value: '/', count: '512' }] },
    { title: 'Sources by visitors', rows: [{ value: 'Direct or unknown', count: '512' }] },
    {
      title: 'Countries by visitors',
      rows: [
        { value: 'Germany', count: '512' },
        { value: 'XX', count: '412' },
      ],
    },
  ]);
});

describe('goals', () => {
  const goalsOf = (...all: ReturnType<typeof goals>) => viewOf(aMail({ report: aReport({ goals: all }) }));

  test('come with their change and their sum, those with the most conversions first', () => {
    const { goals: shown, moreGoals } = goalsOf(
      { name: 'Checkout', conversions: 3, sum: null, previous: 6 },
      { name: 'Signup', conversions: 1_250, sum: '-12345.50', previous: 1_000 },
      { name: 'Download', conversions: 3, sum: '0.00', previous: 0 },
    );

    expect(shown).toEqual([
      { name: 'Signup', value: '1,250', sum: 'Sum \u221212,345.50', change: '25\u00a0% more', isGood: true },
      { name: 'Checkout', value: '3', sum: undefined, change: '50\u00a0% less', isGood: false },
      { name: 'Download', value: '3', sum: 'Sum 0', change: undefined, isGood: undefined },
    ]);
    expect(moreGoals).toBeUndefined();
  });

  test('are ten at most, and the mail says how many more there are', () => {
    const { goals: shown, moreGoals } = goalsOf(...goals(...Array.from({ length: 13 }, (_, index) => `Goal ${index}`)));

    expect(shown.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, index) => `Goal ${index}`));
    expect(moreGoals).toBe('3 more on the statistics page');
  });
});

test('the definition of a visitor names the time zone of the report', () => {
  expect(viewOf(aMail()).definition).toBe(
    'A visitor is one device on one day, so someone who comes on two days counts twice. Days begin at midnight in the time zone Europe/Berlin.',
  );
});

test('says how many findings are open, if there are any', () => {
  const mailOf = (findings: number, language: 'en' | 'de' = 'en') =>
    viewOf(aMail({ locale: localeOf(language), report: aReport({ findings }) }));

  expect([0, 1].map((count) => mailOf(count).findings)).toEqual([undefined, 'The checks have 1 open finding.']);
  expect(mailOf(2, 'de').findings).toBe('Die Prüfungen haben 2 offene Befunde.');
  for (const render of [renderText, renderHtml])
    expect(render(mailOf(2))).toContain('The checks have 2 open findings.');
});
