import { expect, test } from 'vitest';
import { addMeasured } from './support/measured.ts';
import { signIn } from './support/owner.ts';
import { startPagesForTest } from './support/pages.ts';

/** A website with this many measured pageviews of a page, and one that is not measured. */
async function start(measured: number) {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  await addMeasured(pages, website, measured);
  const { cookies } = await signIn(pages);
  const path = `/statistics/${website.id}`;
  const show = async (below: string, isMember: boolean) =>
    (await pages.send('GET', `${path}${below}`, isMember ? { cookies } : {})).text;
  return { show };
}

const engagedTime = (text: string) => /data-metric="engaged_seconds" data-value(?:="([^"]*)")?>([^<]*)</.exec(text);
const cellsOf = (text: string) =>
  ['engaged_seconds', 'scroll_depth'].map(
    (name) => new RegExp(`data-metric="${name}">(?:<data[^>]*>)?([^<]*)<`).exec(text)?.[1],
  );

test('engaged time is among the numbers on top, and in the full list of pages', async () => {
  const { show } = await start(5);

  for (const isMember of [true, false]) {
    expect(engagedTime(await show('', isMember))?.slice(1)).toEqual(['75', '1\u00a0m 15\u00a0s']);
    expect(cellsOf(await show('/by/page', isMember))).toEqual(['1\u00a0m 15\u00a0s', '50\u00a0%']);
  }
});

test('guests see no mean of fewer than 5 measured pageviews; the owner does', async () => {
  const { show } = await start(4);

  expect(engagedTime(await show('', false))?.slice(1)).toEqual([undefined, '–']);
  expect(cellsOf(await show('/by/page', false))).toEqual(['–', '–']);
  expect(await show('/by/page.csv', false)).toContain('/a,5,5,5,,');
  expect(engagedTime(await show('', true))?.[1]).toBe('75');
});

test('a website that measures nothing shows nothing of it', async () => {
  const { show } = await start(0);

  expect(engagedTime(await show('', true))).toBeNull();
  expect(cellsOf(await show('/by/page', true))).toEqual([undefined, undefined]);
});
