import { newId } from '@hitherto/outside/system';
import { beforeEach, expect, test } from 'vitest';
import { WEBSITE_PAGES, webhooksPath, websitePath } from '../src/shared/paths.ts';
import { postForm } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

// Signed in with a key that reaches some websites of its account (people.md, "Roles").

let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;
let own: string;
let other: string;

beforeEach(async () => {
  pages = await startPagesForTest();
  own = (await pages.addWebsite({ url: 'https://own.example', privacy: 'private' })).id;
  other = (await pages.addWebsite({ url: 'https://other.example', privacy: 'private' })).id;
  const key = await pages.issueKey(pages.accountId, { websiteIds: [own] });
  ({ cookies } = await postForm(pages, '/sign-in', { key }));
});

const get = async (path: string) => {
  const { status, text } = await pages.send('GET', path, { cookies });
  return { status, text: text.replace(/Request [\w-]+/, '') };
};

test('the list has only the websites that the key reaches', async () => {
  const { text } = await get('/');

  expect(text).toContain('own.example');
  expect(text).not.toContain('other.example');
  expect((await get('/?search=other')).text).not.toContain(other);
});

test('the pages of another website are those of an unknown one, byte for byte', async () => {
  for (const page of WEBSITE_PAGES.filter((name) => name !== 'delete' && name !== 'move')) {
    const [hidden, unknown] = [await get(websitePath(other, page)), await get(websitePath(newId(), page))];
    expect([page, hidden]).toEqual([page, unknown]);
    expect([page, hidden.status, (await get(websitePath(own, page))).status]).toEqual([page, 404, 200]);
  }
});

test('its private statistics page is there, and that of another website is not', async () => {
  expect((await get(`/statistics/${own}`)).status).toBe(200);
  expect((await get(`/statistics/${other}`)).status).toBe(404);
});

test('adding and deleting websites, and webhooks, need a key of all websites', async () => {
  for (const path of ['/websites/new', websitePath(own, 'delete'), '/webhooks', webhooksPath(pages.accountId)]) {
    const { status, text } = await get(path);
    expect([path, status]).toEqual([path, 403]);
    expect(text).toContain('reaches only some websites');
  }
  expect((await get(websitePath(other, 'delete'))).status).toBe(404);
  const added = await postForm(pages, '/websites', { url: 'https://new.example' }, { cookies });
  const removed = await postForm(pages, websitePath(own, 'delete'), { address: 'own.example' }, { cookies });
  expect([added.status, removed.status, (await get(websitePath(own))).status]).toEqual([403, 403, 200]);
});
