import type { CountedHit } from '@hitherto/domain/hits';
import { describe, expect, test } from 'vitest';
import { postForm, signIn } from './support/owner.ts';
import { PASSWORD_HASH, startPagesForTest } from './support/pages.ts';
import { share } from './support/sharing.ts';

// pages.md: /statistics/{id}/change. The clock stands still at 2026-11-20, 12:00 UTC.

const visits = (count: number, day: string, source: string, page: string): Partial<CountedHit>[] =>
  Array.from({ length: count }, (_, index) => ({
    visitor: BigInt(index + 1),
    source,
    page,
    day,
    time: new Date(`${day}T08:00:00Z`),
  }));

async function start() {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  await pages.addHits(website, [
    ...visits(8, '2026-10-05', 'Google', '/prices'),
    ...visits(3, '2026-10-06', 'Example', '/'),
    ...visits(2, '2026-11-03', 'Google', '/prices'),
    ...visits(4, '2026-11-04', 'Example', '/'),
  ]);
  return { pages, website, path: `/statistics/${website.id}/change` };
}

const sentenceIn = (text: string) => /<p class="sentence">([^<]*)</.exec(text)?.[1];
const captionsIn = (text: string) => [...text.matchAll(/<caption>([^<]*)</g)].map(([, caption]) => caption);
const oursIn = (text: string) => [...text.matchAll(/<li>.*?<bdi>([^<]*)</g)].map(([, own]) => own);

describe('the page that explains a change', () => {
  test('says in a sentence of numbers what changed, and which value explains it best', async () => {
    const { pages, path } = await start();

    const { status, text } = await pages.send('GET', `${path}?metric=visits`);

    expect(status).toBe(200);
    expect(sentenceIn(text)).toBe(
      '5 fewer visits: 6 after 11. Entry page /prices: 6 fewer, mostly with the source Google.',
    );
    expect(text).toContain('Compared with 26 Sept to 23 Oct at 12:00.');
    expect(captionsIn(text).slice(0, 2)).toEqual(['Entry pages', '/prices, by source']);
  });

  test('is led to from the comparison, and keeps period and filters', async () => {
    const { pages, website, path } = await start();

    const { text } = await pages.send('GET', `/statistics/${website.id}?country=DE&metric=visits`);

    expect(text).toContain(`${path}?country=DE&amp;metric=visits`);
  });

  test('compares with a year earlier', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', `${path}?compare=year`);

    expect(text).toContain('Compared with 24 Oct to 20 Nov 2025 at 12:00.');
    expect(sentenceIn(text)).toContain('6 more visitors: 6 after 0.');
  });

  test('tells settings and private notes to the owner alone', async () => {
    const { pages, website, path } = await start();
    const signedIn = await signIn(pages);
    const note = (form: Record<string, string>) =>
      postForm(pages, `/websites/${website.id}/annotations`, form, signedIn);
    await note({ day: '2026-11-02', text: 'Relaunch', is_public: '1' });
    await note({ day: '2026-11-03', text: 'Secret' });

    const guest = (await pages.send('GET', path)).text;
    const owner = (await pages.send('GET', path, signedIn)).text;

    expect(oursIn(guest)).toEqual(['Relaunch']);
    expect(oursIn(owner)).toEqual(expect.arrayContaining(['Relaunch', 'Secret']));
    expect(oursIn(owner)).toContain('There was no hit on 5 Nov to 19 Nov.');
  });

  test('tells which setting dropped hits since, in the language of the reader', async () => {
    const { pages, website, path } = await start();
    const signedIn = await signIn(pages);
    for (const exclude_bots of ['0', '1']) await postForm(pages, `/websites/${website.id}`, { exclude_bots }, signedIn);
    await pages.repositories.hits.add([], [{ websiteId: website.id, day: '2026-11-20', reason: 'bot', hits: 210 }]);
    await pages.repositories.maintenance.deleteHitsBefore('2026-10-06');

    const english = (await pages.send('GET', path, signedIn)).text;
    const german = (await pages.send('GET', path, { ...signedIn, headers: { 'accept-language': 'de' } })).text;

    expect(sentenceIn(english)).toMatch(
      / 20 Nov 2026, 12:00: exclude_bots was changed from 0 to 1, 210 hits dropped since\.$/,
    );
    expect(sentenceIn(german)).toContain('exclude_bots wurde von 0 auf 1 geändert, seitdem 210 Aufrufe verworfen.');
    expect(english).toContain('Without 5 Oct 2026: the visits of these days are not stored.');
  });

  test('is not found where the statistics page is not, and asks for its password where that has one', async () => {
    const { pages } = await start();
    const hidden = await pages.addWebsite({ url: 'https://hidden.example', privacy: 'private' });

    expect((await pages.send('GET', `/statistics/${hidden.id}/change`)).status).toBe(404);
    const guarded = await pages.addWebsite({
      url: 'https://guarded.example',
      privacy: 'password',
      passwordHash: PASSWORD_HASH,
    });
    const form = await pages.send('GET', `/statistics/${guarded.id}/change`);
    expect([form.status, sentenceIn(form.text), form.text.includes('type="password"')]).toEqual([200, undefined, true]);
  });

  test('is there under a shared link', async () => {
    const { pages, website } = await start();
    const link = await share(pages, website, {});

    const { status, text } = await pages.send('GET', `${link.path}/change?metric=visits`);

    expect([status, sentenceIn(text)?.startsWith('5 fewer visits')]).toEqual([200, true]);
  });
});
