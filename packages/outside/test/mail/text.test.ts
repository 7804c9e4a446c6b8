import { NO_TOTALS } from '@hitherto/domain/visits';
import { expect, test } from 'vitest';
import { viewOf } from '../../src/mail/report-view.ts';
import { renderText, widthOf } from '../../src/mail/text.ts';
import { HOSTILE } from './hostile.ts';
import { aMail, anUnfinishedMail, aReport, goals, values } from './support.ts';

test('the text of a report is aligned', () => {
  const lists = { page: values('/', '/日本語', '/🦊'), source: [], country: [], event: [] };

  const text = renderText(viewOf(aMail({ report: aReport({ lists }) }))).replaceAll('\u00a0', ' ');

  expect(text).toBe(`example.com
16 Nov to 22 Nov 2026 (week 47), compared with the week before

  Visitors           1,234  12 % more
  Visits             1,400  8 % more
  Pageviews          3,210  6 % less
  Bounce rate         38 %  9 points more
  Visit duration  1 m 52 s  7 % less

Visitors by day
  Mon 16 Nov  210  ##################################
  Tue 17 Nov  180  #############################
  Wed 18 Nov  205  ##################################
  Thu 19 Nov  190  ###############################
  Fri 20 Nov  220  ####################################
  Sat 21 Nov  129  #####################
  Sun 22 Nov  100  ################

Pages by visitors
  512  /
  412  /日本語
  312  /🦊

All statistics:
https://stats.example/statistics/01997c3e-0000-7000-8000-000000000001?from=2026-11-16&to=2026-11-22

Why it changed:
https://stats.example/statistics/01997c3e-0000-7000-8000-000000000001/change?from=2026-11-16&to=2026-11-22

A visitor is one device on one day, so someone who comes on two days
counts twice. Days begin at midnight in the time zone Europe/Berlin.

You get this mail because weekly reports are on for this website.
Stop these reports:
https://stats.example/reports/unsubscribe?website=01997c3e-0000-7000-8000-000000000001&token=${'t'.repeat(43)}
`);
});

test('annotations of the week are below its days, at most ten, each on as many lines as it needs', () => {
  const annotations = [
    { day: '2026-11-17', text: 'Version 2 released' },
    { day: '2026-11-20', text: 'word '.repeat(20).trim() },
    ...Array.from({ length: 10 }, (_, index) => ({ day: '2026-11-22', text: `Note ${index}` })),
  ];

  const text = renderText(viewOf(aMail({ report: aReport({ annotations }) })));

  expect(text).toContain(`
Annotations
  Tue 17 Nov  Version 2 released
  Fri 20 Nov  ${'word '.repeat(11).trim()}
              ${'word '.repeat(9).trim()}
  Sun 22 Nov  Note 0
`);
  expect(text).toContain('  Sun 22 Nov  Note 7\n  2 more on the statistics page\n');
  expect(renderText(viewOf(aMail()))).not.toContain('Annotations');
});

test('goals have a line each, and one more for what they add up to', () => {
  const [signup, checkout] = goals('Signup', 'Checkout');
  const sums = [{ name: 'Order', conversions: 1_250, sum: '12345.50', previous: 0 }, signup, checkout].filter(
    (goal) => goal !== undefined,
  );

  const text = renderText(viewOf(aMail({ report: aReport({ goals: sums }) }))).replaceAll('\u00a0', ' ');

  expect(text).toContain(`
Goals by conversions
  1,250             Order
                    Sum 12,345.50
     50  25 % more  Signup
     49  23 % more  Checkout

Pages by visitors
`);
});

test('an unfinished week that cannot be compared has goals without a change', () => {
  const text = renderText(viewOf(anUnfinishedMail({ goals: goals('Signup'), previous: NO_TOTALS })));

  expect(text).toContain('\nGoals by conversions\n  50  Signup\n\n');
});

test('a website without goals has no such block', () => {
  expect(renderText(viewOf(anUnfinishedMail()))).not.toContain('Goals');
});

test('links are left out if their addresses are unknown', () => {
  const text = renderText(viewOf(aMail({ pageUrl: undefined, unsubscribeUrl: undefined })));

  expect(text).not.toMatch(/https?:|All statistics|Stop these reports/);
});

test('days ahead have no number', () => {
  expect(renderText(viewOf(anUnfinishedMail()))).toContain('\n  Sun 22 Nov    -\n');
});

test('lines have at most 72 columns and values one line, whatever comes from outside', () => {
  const lists = { page: values(...HOSTILE), source: values(...HOSTILE), country: values(...HOSTILE), event: [] };
  const named = goals(...HOSTILE).map((goal) => ({ ...goal, sum: `${'9'.repeat(500)}.99` }));
  const report = aReport({
    lists,
    goals: named,
    url: `https://${'a'.repeat(60)}.example/${'b'.repeat(1_900)}`,
  });

  const lines = renderText(viewOf(aMail({ report }))).split('\n');

  expect(lines.filter((line) => !line.startsWith('https://') && widthOf(line) > 72)).toEqual([]);
  expect(lines.filter((line) => /^ {2,}\d+ {2}/.test(line))).toHaveLength(4 * HOSTILE.length);
  expect(lines.filter((line) => line.trimStart().startsWith('Sum 99,999,'))).toHaveLength(HOSTILE.length);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
});
