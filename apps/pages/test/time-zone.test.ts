import { beforeEach, expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { PASSWORD_HASH, type PagesUnderTest, startPagesForTest } from './support/pages.ts';
import { visitorsOf } from './support/statistics.ts';

// It is 12:00 on 2026-11-20 in UTC, the zone of the installation: 02:00 on the 21st at +14, and 01:00 on the 20th at -11.

let pages: PagesUnderTest;

beforeEach(async () => {
  pages = await startPagesForTest();
});

test('the page of a website shows the days of its zone, and names the zone', async () => {
  const website = await pages.addWebsite({ privacy: 'public', timeZone: 'Pacific/Kiritimati' });
  await pages.addHits(website, [
    { visitor: 1n, day: '2026-11-21', time: new Date('2026-11-20T10:00:00Z') },
    { visitor: 2n, day: '2026-11-20', time: new Date('2026-11-20T09:59:59Z') },
  ]);
  const path = `/statistics/${website.id}`;

  const today = await pages.send('GET', `${path}?period=today`);
  const csv = await pages.send('GET', `${path}/series.csv?period=today`);
  const list = await pages.send('GET', `${path}/by/page?period=yesterday`);

  expect(visitorsOf(today.text)).toBe('1');
  expect(today.text).toContain('Days begin at midnight in Pacific/Kiritimati.');
  expect(today.text).toContain('Visitors, 21 Nov');
  expect(csv.text.split('\r\n')[1]).toBe('2026-11-21T00:00:00+14:00,1,1,1,0');
  expect(list.text).toContain('20 Nov');
  expect(list.text).toContain('Days begin at midnight in Pacific/Kiritimati.');
});

test.each([
  ['after a day of 25 hours', '2026-10-26', '2026-10-26T13:30:00Z', '2026-10-25', '2026-10-25T13:30:00Z'],
  ['on a day of 25 hours', '2026-10-25', '2026-10-25T13:30:00Z', '2026-10-24', '2026-10-24T12:30:00Z'],
  ['on a day of 23 hours', '2026-03-29', '2026-03-29T12:30:00Z', '2026-03-28', '2026-03-28T13:30:00Z'],
])('hours are compared with those of the same name %s', async (_, day, time, dayBefore, timeBefore) => {
  const website = await pages.addWebsite({ privacy: 'public', timeZone: 'Europe/Berlin' });
  await pages.addHits(website, [
    { visitor: 1n, day, time: new Date(time) },
    ...[2n, 3n].map((visitor) => ({ visitor, day: dayBefore, time: new Date(timeBefore) })),
  ]);

  const { text } = await pages.send('GET', `/statistics/${website.id}?from=${day}&to=${day}`);

  expect(text).toMatch(/<th scope="row">14:00<\/th><td>1<\/td><td>2<small>[^<]*14:00<\/small>/);
});

test('the form of a protected page keeps a period up to today in the zone', async () => {
  const website = await pages.addWebsite({
    privacy: 'password',
    passwordHash: PASSWORD_HASH,
    timeZone: 'Pacific/Kiritimati',
  });

  const { text } = await pages.send('GET', `/statistics/${website.id}?from=2026-11-21&to=2026-11-21`);

  expect(text).toContain('from=2026-11-21&amp;to=2026-11-21');
});

test('the owner sees visitors and dropped hits up to today in the zone of each website', async () => {
  const east = await pages.addWebsite({ timeZone: 'Pacific/Kiritimati' });
  const west = await pages.addWebsite({ timeZone: 'Pacific/Pago_Pago' });
  const time = pages.clock.now();
  for (const website of [east, west]) {
    await pages.addHits(website, [{ day: '2026-11-21', time }]);
    await pages.repositories.hits.add([], [{ websiteId: website.id, day: '2026-11-21', reason: 'bot', hits: 7 }]);
  }
  const { cookies } = await signIn(pages);

  const { text } = await pages.send('GET', '/', { cookies });
  const dropped = await Promise.all(
    [east, west].map(async ({ id }) => (await pages.send('GET', `/websites/${id}/dropped`, { cookies })).text),
  );

  const rows = text.split('<tr>');
  expect(rows.find((row) => row.includes(east.id))).toMatch(/>1</);
  expect(rows.find((row) => row.includes(west.id))).toMatch(/>0</);
  expect(dropped.map((page) => page.includes('>7<'))).toEqual([true, false]);
});
