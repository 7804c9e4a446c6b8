import { parseAlert } from '@hitherto/domain/alerts';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { Finding } from '@hitherto/domain/checks';
import { newId } from '@hitherto/outside/system';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, test } from 'vitest';
import { addFindings } from './support/hostile-data.ts';
import { postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest } from './support/pages.ts';

// The page of findings (checks.md).

let pages: PagesUnderTest;
let cookies: Received['cookies'];
let id: string;
let ids: readonly string[];

beforeEach(async () => {
  pages = await startPagesForTest();
  ({ cookies } = await signIn(pages));
  const website = await pages.addWebsite({ url: 'https://shop.example' });
  id = website.id;
  ids = await addFindings(pages, website);
});

const path = () => `/websites/${id}/findings`;
const show = (language = 'en') => pages.send('GET', `${path()}?lang=${language}`, { cookies });
const statuses = async () =>
  (await pages.repositories.findings.list({ accountId: pages.accountId, websiteId: id }))?.map(({ status }) => status);

describe('the page of findings', () => {
  test('says what was found in the language of the reader, as text', async () => {
    const [english, german] = [(await show()).text, (await show('de')).text];

    expect(english).toContain('Singapore: 180 direct visits of one page on 3 days, 40');
    expect(german).toContain('Singapur: 180 direkte Besuche nur einer Seite an 3 Tagen');
    expect(english).toContain('Since 18 Nov 2026 · dismissed');
    expect(english).not.toMatch(/<script>alert|<img src=x/);
  });

  test('says that there is nothing', async () => {
    const other = await pages.addWebsite({ url: 'https://other.example' });

    const { text } = await pages.send('GET', `/websites/${other.id}/findings`, { cookies });

    expect(text).toContain('The checks have found nothing.');
  });

  test('dismisses a finding', async () => {
    const { headers } = await postForm(pages, `${path()}/${ids[0]}/dismiss`, {}, { cookies });

    expect(headers.location).toBe(path());
    expect((await statuses())?.filter((status) => status === 'dismissed')).toHaveLength(2);
  });

  test('changes the settings that close a finding, and nothing for another', async () => {
    for (const finding of [ids[4], ids[0]]) {
      const { headers } = await postForm(pages, `${path()}/${finding}/fix`, {}, { cookies });
      expect(headers.location).toBe(`${path()}?done`);
    }

    const website = await pages.repositories.directory.findById(id);
    expect(website?.website.excludedParams).toContain('é<b>');
    expect((await pages.send('GET', `${path()}?done`, { cookies })).text).toContain('The settings are changed.');
  });

  test('knows no finding of another website', async () => {
    const other = await pages.addWebsite({ url: 'https://other.example' });

    const { status } = await postForm(pages, `/websites/${other.id}/findings/${ids[0]}/dismiss`, {}, { cookies });

    expect(status).toBe(404);
  });
});

test('the list of websites says how many are open', async () => {
  await pages.repositories.hits.add([aCountedHit({ websiteId: id, time: pages.clock.now() })]);

  const { text } = await pages.send('GET', '/', { cookies });

  expect(text).toContain(`<a class="tag wait" href="${path()}">6 findings</a>`);
});

describe('the list of websites', () => {
  const list = async (host: string) => {
    const website = await pages.addWebsite({ url: `https://${host}` });
    await pages.repositories.hits.add([aCountedHit({ websiteId: website.id, time: pages.clock.now() })]);
    const row = async () =>
      new RegExp(`${host}</a>.*?<td class="note">(.*?)</td>`, 's').exec(
        (await pages.send('GET', '/', { cookies })).text,
      )?.[1];
    return { website, key: { accountId: pages.accountId, websiteId: website.id }, row };
  };

  test('names another host of which hits were dropped, if nothing else was found', async () => {
    const { key, row } = await list('moved.example');
    const [, found] = (await pages.repositories.findings.list({ ...key, websiteId: id })) ?? [];
    const evidence = { host: '<old>.example', hits: 412, isAlone: false };
    const finding = { ...found, id: newId(), check: 'unknown_host', status: 'open', evidence } as Finding;
    await pages.repositories.findings.record(key, [{ finding, expected: undefined, event: undefined }]);

    expect(await row()).toContain(`412 hits of <bdi>&lt;old>.example</bdi> not counted`);
  });

  test('says when a spike alert fired today', async () => {
    const { website, key, row } = await list('busy.example');
    const { alerts } = pages.repositories;
    const now = pages.clock.now();
    const alert = { id: newId(), ...parseAlert({ rule: 'spike' }), createdAt: now, updatedAt: now };
    await alerts.insert(key, alert, UNRECORDED);
    const fire = async (firedAt: string, now: string) => {
      for (const due of await alerts.claim(new Date(now), 10)) {
        await alerts.record(due, { holds: true, day: null, fired: 1, samples: [], firedAt });
      }
    };

    await fire('2026-11-19T23:59:00.000Z', '2026-11-20T00:00:00.000Z');
    expect(await row()).toBe('');
    await fire('2026-11-20T09:12:00.000Z', '2026-11-20T09:13:00.000Z');
    expect(await row()).toBe(`<a class="tag bad" href="/statistics/${website.id}/live">Spike at 09:12</a>`);
  });
});
