import { randomBytes } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import { prepareSetup } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { beforeEach, expect, test } from 'vitest';
import { WEBSITE_PAGES, websitePath } from '../src/shared/paths.ts';
import { faultsOf, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest } from './support/pages.ts';

// Moving a website to another account (people.md, "Moving a website").

let pages: PagesUnderTest;
let owner: Received['cookies'];
let id: string;

beforeEach(async () => {
  pages = await startPagesForTest();
  const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes };
  const form = { email: 'owner@example.com', name: 'Ægir', password: 'correct horse battery' };
  owner = (await postForm(pages, `/setup/${await prepareSetup(deps, pages.accountId, undefined)}`, form)).cookies;
  id = (await pages.addWebsite({ url: 'https://moved.example', privacy: 'private' })).id;
});

/** Makes the owner an owner of the other account, too. */
async function ownBoth(): Promise<void> {
  const { repositories, accountId, otherAccountId } = pages;
  const [member] = await repositories.people.listMembers(accountId);
  if (member === undefined) throw new Error('There is no owner.');
  const person = await repositories.people.find(member.person.id);
  if (person === undefined) throw new Error('There is no person.');
  await repositories.people.addFirstOwner(person, { ...member.member, accountId: otherAccountId }, UNRECORDED);
}

const get = (path: string, cookies = owner) => pages.send('GET', path, { cookies });
const move = (account: string, cookies = owner) => postForm(pages, websitePath(id, 'move'), { account }, { cookies });
const accountOf = async () => (await pages.repositories.directory.findById(id))?.accountId;

test('who owns both accounts moves it', async () => {
  await ownBoth();
  expect((await get(websitePath(id))).text).toContain(websitePath(id, 'move'));
  expect((await get(websitePath(id, 'move'))).text).toContain('other</option>');

  expect((await move(pages.otherAccountId)).headers.location).toBe(`${websitePath(id)}?saved`);
  expect(await accountOf()).toBe(pages.otherAccountId);
  expect((await get(websitePath(id, 'changes'))).text).toContain('moved');
});

test('who owns one account cannot move it away, nor can a key', async () => {
  expect((await get(websitePath(id))).text).not.toContain(websitePath(id, 'move'));
  expect((await move(pages.otherAccountId)).status).toBe(404);
  const { cookies } = await signIn(pages);
  expect((await move(pages.otherAccountId, cookies)).status).toBe(403);
  expect(await accountOf()).toBe(pages.accountId);
});

test('a website that is hidden in one account is as unknown, also for who owns another', async () => {
  await ownBoth();
  const { people } = pages.repositories;
  const [mine] = await people.listMembers(pages.otherAccountId);
  const [owned] = await people.listMembers(pages.accountId);
  if (mine === undefined || owned === undefined) throw new Error('There is no owner.');
  const other = aPerson();
  const invitation = anInvitation({ accountId: pages.otherAccountId, email: other.email });
  await people.insertInvitation(invitation, UNRECORDED);
  const second = aMember({ accountId: pages.otherAccountId, personId: other.id, role: 'owner' });
  await people.acceptInvitation(invitation.tokenHash, other, second, UNRECORDED);
  const shown = await pages.addWebsite({ url: 'https://shown.example' }, pages.otherAccountId);
  const hidden = await pages.addWebsite({ url: 'https://hidden.example' }, pages.otherAccountId);
  const viewer = { ...mine.member, role: 'viewer', websiteIds: [shown.id], updatedAt: new Date() } as const;
  expect(await people.replaceMember(viewer, mine.member.updatedAt, UNRECORDED)).toBe(true);

  const seen = async (website: string, page: (typeof WEBSITE_PAGES)[number]) => {
    const { status, text } = await get(websitePath(website, page));
    return [page, status, text.replaceAll(website, 'ID').replace(/Request [\w-]+/, '')];
  };
  for (const page of WEBSITE_PAGES) expect(await seen(hidden.id, page)).toEqual(await seen(newId(), page));
  expect((await get(websitePath(shown.id, 'dropped'))).status).toBe(200);
});

test('an account that has the address says so next to the field', async () => {
  await ownBoth();
  await pages.addWebsite({ url: 'http://moved.example' }, pages.otherAccountId);

  const { status, text } = await move(pages.otherAccountId);
  expect([status, Object.keys(faultsOf(text))]).toEqual([409, ['account']]);
  expect(await accountOf()).toBe(pages.accountId);
});
