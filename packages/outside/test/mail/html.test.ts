import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/mail/html.tsx';
import { viewOf } from '../../src/mail/report-view.ts';
import { HOSTILE } from './hostile.ts';
import { aMail, aReport, goals, values } from './support.ts';

const htmlOf = (...overrides: Parameters<typeof aMail>) => renderHtml(viewOf(aMail(...overrides)));

describe('the HTML of a report', () => {
  const html = htmlOf();

  test('shows the numbers, a bar for each day, the lists and the links', () => {
    const text = html.replace(/<style>.*?<\/style>/s, '').replace(/<[^>]+>/g, ' ');

    for (const shown of [
      'example.com',
      '1,234',
      '12\u00a0% more',
      'Fri 20 Nov',
      '/blog/über-uns',
      'Germany',
      'Signup',
    ]) {
      expect(text).toContain(shown);
    }
    expect(html.match(/class="bar"/g)).toHaveLength(7);
    expect(html).toContain('width="100%"');
    expect([...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      'https://stats.example/statistics/01997c3e-0000-7000-8000-000000000001?from=2026-11-16&amp;to=2026-11-22',
      'https://stats.example/statistics/01997c3e-0000-7000-8000-000000000001/change?from=2026-11-16&amp;to=2026-11-22',
      `https://stats.example/reports/unsubscribe?website=01997c3e-0000-7000-8000-000000000001&amp;token=${'t'.repeat(43)}`,
    ]);
  });

  test('begins with the preview that mail programs show after the subject', () => {
    expect(html).toMatch(
      /<body[^>]*><div style="display:none[^>]*>16 Nov to 22 Nov 2026: 1,400 visits and 3,210 pageviews\./,
    );
  });

  test('declares its language, and which tables are layout', () => {
    expect(html).toMatch(/^<!doctype html><html lang="en" dir="ltr">/);
    for (const [table] of html.matchAll(/<table.*?>/g)) {
      const isData = table.includes('border-collapse');
      expect(table.includes('role="presentation"')).toBe(!isData);
    }
    expect(html.match(/<th scope="row"/g)).toHaveLength(4 + 7 + 17);
  });

  test('has light colours inline, and dark ones for programs that support them', () => {
    expect(html).toContain('<meta name="color-scheme" content="light dark"');
    expect(html).toContain('@media (prefers-color-scheme: dark)');
    expect(html).toContain('background-color:#ffffff');
    expect(html.match(/<style>([^<]*)<\/style>/)?.[1]).not.toMatch(/&\w+;/);
  });

  test('requests nothing and runs nothing', () => {
    expect(html).not.toMatch(/<(?:img|link|script|iframe|video|object|form)\b|url\(|@import|\bsrc=|background=/i);
  });

  test('has no links if their addresses are unknown', () => {
    expect(htmlOf({ pageUrl: undefined, unsubscribeUrl: undefined })).not.toContain('href');
  });
});

test('the HTML shows goals with their conversions, change and sum, and nothing of them where there are none', () => {
  const report = aReport({ goals: [{ name: 'Signup <b>', conversions: 1_250, sum: '1249.5', previous: 1_000 }] });

  const html = htmlOf({ report });

  expect(html.replace(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')).toContain(
    'Goals by conversions Signup &lt;b> Sum 1,249.5 25 % more 1,250 ',
  );
  expect(htmlOf()).not.toContain('Goals');
});

test('texts from outside are escaped, and the HTML stays below 60 kB', () => {
  const five = HOSTILE.slice(0, 5);
  const long = HOSTILE.slice(5);
  const url = `https://${'a.'.repeat(120)}example/${'b'.repeat(1_700)}`;

  for (const texts of [five, long, Array(5).fill(HOSTILE[7])]) {
    const lists = {
      page: values(...texts),
      source: values(...texts),
      country: values(...texts),
      event: values(...texts),
    };
    const named = goals(...texts, ...texts, 'more').map((goal) => ({ ...goal, sum: `-${'9'.repeat(500)}.99` }));
    const html = htmlOf({ report: aReport({ lists, goals: named, url }) });

    expect(Buffer.byteLength(html)).toBeLessThan(60_000);
    expect(html).not.toMatch(/<script|<img|<b>|\u202e|\r|\0/);
    expect(html.match(/<style>/g)).toHaveLength(1);
    expect(html.match(/<bdi>/g)).toHaveLength(1 + 10 + 20);
  }
});
