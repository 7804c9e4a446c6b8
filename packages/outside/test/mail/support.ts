import type { ValueTotals } from '@hitherto/domain/engine';
import type { Report, ReportGoal, ReportMail } from '@hitherto/domain/reports';
import type { Totals } from '@hitherto/domain/visits';
import { aReportPeriod, aWebsite } from '@hitherto/testing/fixtures';
import { ENGLISH } from '@hitherto/words';

const NUMBERS: Totals = {
  visitors: 1_234,
  visits: 1_400,
  pageviews: 3_210,
  events: 25,
  bounces: 532,
  visitsWithPageviews: 1_400,
  duration: 1_400 * 112_400,
};
const PREVIOUS: Totals = { ...NUMBERS, visitors: 1_100, visits: 1_300, pageviews: 3_400, bounces: 400 };
const WEEK = aReportPeriod('2026-W47');

export function totals(visitors: number): Totals {
  return { ...NUMBERS, visitors };
}

/** Rows of a list, the first with 512 visitors. */
export function values(...names: readonly (string | null)[]): ValueTotals[] {
  return names.map((value, index) => ({ ...totals(Math.max(1, 512 - 100 * index)), value }));
}

/** Goals, the first with 50 conversions after 40. */
export function goals(...names: readonly string[]): ReportGoal[] {
  return names.map((name, index) => ({ name, conversions: Math.max(1, 50 - index), sum: null, previous: 40 }));
}

/** The report of a busy week, 16 to 22 November 2026. */
export function aReport(overrides: Partial<Report> = {}): Report {
  return {
    websiteId: aWebsite().id,
    url: 'https://example.com',
    period: WEEK,
    isLast: true,
    timeZone: 'Europe/Berlin',
    isUnfinished: false,
    totals: NUMBERS,
    previous: PREVIOUS,
    previousDays: { from: '2026-11-09', to: '2026-11-15', until: undefined, isUneven: false },
    points: [210, 180, 205, 190, 220, 129, 100].map((visitors, index) => ({
      ...totals(visitors),
      start: `2026-11-${16 + index}`,
    })),
    lists: {
      page: values('/', '/prices', '/blog/über-uns', '/🦊', '/contact'),
      source: values('Google', null, 'news.example', 'ChatGPT', 'newsletter'),
      country: values('DE', 'AT', 'CH', 'US', null),
      event: values('Signup', 'Download'),
    },
    goals: [],
    annotations: [],
    findings: 0,
    ...overrides,
  };
}

/** A mail on the Monday after, with everything that a mail can have. */
export function aMail(overrides: Partial<ReportMail> = {}): ReportMail {
  const report = overrides.report ?? aReport();
  return {
    to: 'owner@example.com',
    locale: ENGLISH,
    report,
    pageUrl: `https://stats.example/statistics/${report.websiteId}?from=2026-11-16&to=2026-11-22`,
    unsubscribeUrl: `https://stats.example/reports/unsubscribe?website=${report.websiteId}&token=${'t'.repeat(43)}`,
    messageId: `report.2026-W47.${report.websiteId}@stats.example`,
    date: new Date('2026-11-23T08:00:00Z'),
    ...overrides,
  };
}

/** A mail at 11:00 on the Wednesday of the week that it is about. */
export function anUnfinishedMail(overrides: Partial<Report> = {}): ReportMail {
  const { points } = aReport();
  const report = aReport({
    isUnfinished: true,
    isLast: false,
    previousDays: { from: '2026-11-09', to: '2026-11-11', until: new Date('2026-11-11T10:00:00Z'), isUneven: false },
    points: points.map((day, index) => (index < 3 ? day : { ...totals(0), start: day.start })),
    ...overrides,
  });
  return aMail({ report, date: new Date('2026-11-18T10:00:00Z') });
}
