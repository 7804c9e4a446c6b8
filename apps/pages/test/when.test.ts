import type { CountedHit } from '@hitherto/domain/hits';
import { expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';

// The clock stands still at 2026-11-20, 12:00 UTC, a Friday.

const hitAt = (time: string, visitor: bigint, country = 'DE'): Partial<CountedHit> => ({
  time: new Date(`${time}Z`),
  day: time.slice(0, 10),
  visitor,
  country,
});

async function start(hits: readonly Partial<CountedHit>[], timeZone = 'UTC') {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public', timeZone });
  await pages.addHits(website, hits);
  return async (query = '') => (await pages.send('GET', `/statistics/${website.id}${query}`)).text;
}

/** The numbers of the table, by weekday. */
const whenIn = (text: string) => {
  const [card = ''] = /<section class="card lists" id="when".*?<\/section>/s.exec(text) ?? [];
  return [...card.matchAll(/<tr><th scope="row">(\w+)<\/th>(.*?)<\/tr>/g)].map(([, weekday, cells = '']) => [
    weekday,
    ...[...cells.matchAll(/<td>([^<]*)</g)].map(([, number]) => number),
  ]);
};
const busiestIn = (text: string) => /Busiest on [^<]*/.exec(text)?.[0];

/** Two Mondays, one with three visitors at ten o'clock; and today, which is not over. */
const HITS = [
  hitAt('2026-11-02T10:00:00', 1n),
  hitAt('2026-11-09T10:00:00', 1n),
  hitAt('2026-11-09T10:59:59', 2n, 'FR'),
  hitAt('2026-11-09T11:00:00', 3n),
  hitAt('2026-11-15T23:00:00', 4n),
  hitAt('2026-11-20T08:00:00', 5n),
];

test('the page shows the mean visitors of each hour of the week, on days that are over', async () => {
  const show = await start(HITS);

  const text = await show('?from=2026-11-02&to=2026-11-20');

  // There are three Mondays, and three Sundays but one.
  const [monday, ...others] = whenIn(text);
  expect(monday?.[0]).toBe('Monday');
  expect(monday?.slice(11, 13)).toEqual(['1', '0.3']);
  expect(others.at(-1)?.[24]).toBe('0.5');
  expect(others.find(([weekday]) => weekday === 'Friday')?.[9]).toBe('0');
  expect(busiestIn(text)).toBe('Busiest on Monday, 10:00 to 11:00');
  expect(text.match(/<svg class="when".*?<\/svg>/s)?.[0].match(/<rect/g)).toHaveLength(7 * 24);
});

test('its hours are those of the website’s time zone, and of the visits that filters choose', async () => {
  const show = await start(HITS, 'Asia/Kathmandu');

  const text = await show('?from=2026-11-02&to=2026-11-19&country=FR');

  expect(busiestIn(text)).toBe('Busiest on Monday, 16:00 to 17:00');
  expect(
    whenIn(text)
      .flat()
      .filter((cell) => cell === '0.3'),
  ).toHaveLength(1);
});

test.each(['?period=7d', '?period=today', '?from=2026-10-01&to=2026-10-20'])(
  'less than a week of days with hits has none: %s',
  async (query) => {
    const show = await start([hitAt('2026-11-15T10:00:00', 1n)]);

    expect(await show(query)).not.toContain('id="when"');
  },
);
