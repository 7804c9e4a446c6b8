import { pseudoLocale } from '@hitherto/testing/pseudo-locale';
import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/mail/html.tsx';
import { viewOf } from '../../src/mail/report-view.ts';
import { renderText } from '../../src/mail/text.ts';
import { HOSTILE } from './hostile.ts';
import { aMail, aReport, goals, values } from './support.ts';

/** The text outside of the brackets of the pseudo-language, which may be nested. */
function outsideOf(text: string): string {
  const rest = text.replaceAll(/⟦[^⟦⟧]*⟧/g, ' ');
  return rest === text ? text : outsideOf(rest);
}

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

  test('begins with the mark of the product, drawn without an image', () => {
    expect(html.match(/#ff7a4f/g)).toHaveLength(1);
    expect(html.indexOf('#ff7a4f')).toBeLessThan(html.indexOf('<h1'));
  });

  test('has the name, the logo and the accent of the account', () => {
    const brand = { name: 'Ægir <b>', accent: '#0f7345', logo: Uint8Array.of(1) };
    const branded = htmlOf({ brand });

    expect(branded).toMatch(/<img src="cid:logo@hitherto" alt[^>]*>.*<bdi>Ægir &lt;b><\/bdi>.*<h1/s);
    expect(branded).not.toContain('#ff7a4f');
    expect(branded.match(/class="button"[^>]*background-color:#0f7345/)).not.toBeNull();
    expect(branded.match(/class="bar"[^>]*background-color:#0f7345/g)).toHaveLength(7);
    expect(branded).toMatch(/\.accent \{ color: #[\da-f]{6} !important; \}\s+\.bar/);
  });

  test('from right to left has its columns, and the space beside them, on the other side', () => {
    const turned = htmlOf({ locale: pseudoLocale('rtl') });

    expect(turned).toMatch(/^<!doctype html><html lang="ar-XB" dir="rtl">/);
    expect(turned).toMatch(/<td class="card line text" lang="ar-XB" dir="rtl"/);
    expect(turned).toMatch(/<th scope="row"[^>]*padding:7px 0 7px 12px[^>]*text-align:right/);
    expect(turned.match(/text-align:left/g)?.length).toBe(html.match(/text-align:right/g)?.length);
  });

  test('has no text that is neither translated nor data, nor has its text part', () => {
    const view = viewOf(aMail({ locale: pseudoLocale() }));
    const plain = renderHtml(view)
      .replace(/<style>.*?<\/style>/s, '')
      .replace(/<bdi>.*?<\/bdi>/g, '')
      .replace(/<[^>]+>/g, ' ');
    const dates = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Nov|to)$/;
    const data =
      /^(?:Germany|Austria|Switzerland|United|States|example\.com|Google|news\.example|newsletter|ChatGPT|Signup|Download|Europe|Berlin|nbsp|blog|über-uns|prices|contact|https|stats\.example)$/;

    for (const text of [plain, renderText(view).replaceAll(/https:\S+/g, '')]) {
      const words = outsideOf(text).match(/\p{L}[\p{L}.@-]+/gu) ?? [];
      expect(words.filter((word) => !dates.test(word) && !data.test(word))).toEqual([]);
    }
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
