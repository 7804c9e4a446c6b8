import { setTimeout as sleep } from 'node:timers/promises';
import { issueKey } from '@hitherto/domain/access';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import type { Member } from '@hitherto/domain/people';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { expect, test } from 'vitest';
import { type Api, startApiForTest } from './support/api.ts';

// Rights are read at each request, and hold for a second (people.md, "Roles"): also in the middle of one that takes longer.

const WEBSITES = '/api/v1/websites';

/** The service whose lists wait, and a key of a member. */
async function start(): Promise<{
  api: Api;
  key: string;
  member: Member;
  waiting: (() => void)[];
  repositories: ReturnType<typeof createInMemoryRepositories>;
}> {
  const repositories = createInMemoryRepositories();
  const waiting: (() => void)[] = [];
  const api = await startApiForTest({
    repositories,
    websites: (real) => ({
      ...real,
      list: async (...given) => {
        const page = await real.list(...given);
        await new Promise<void>((resolve) => waiting.push(resolve));
        return page;
      },
    }),
  });
  const person = aPerson();
  const invitation = anInvitation({ accountId: api.accountId, email: person.email });
  await repositories.people.insertInvitation(invitation, UNRECORDED);
  const member = aMember({ accountId: api.accountId, personId: person.id });
  await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
  const deps = {
    ...repositories,
    now: api.clock.now,
    newId,
    randomBytes: (size: number) => new Uint8Array(size).fill(7),
  };
  const { text } = await issueKey({ ...deps, author: COMMAND_LINE }, api.accountId, { member });
  return { api, key: text, member, waiting, repositories };
}

test('a member who is removed while a list is read does not see it', async () => {
  const { api, key, member, waiting, repositories } = await start();
  await api.createWebsite({ url: 'https://secret.example' });
  const reading = api.send('GET', WEBSITES, { key });
  while (waiting.length === 0) await sleep(5);
  await repositories.people.deleteMember(member.accountId, member.personId, UNRECORDED);
  await sleep(1_000);
  for (const go of waiting) go();

  const { status, text } = await reading;
  expect([status, text.includes('secret.example')]).toEqual([401, false]);
});

test('a member who gets fewer websites while a list is read sends the request again', async () => {
  const { api, key, member, waiting, repositories } = await start();
  const { id } = await api.createWebsite({ url: 'https://shown.example' });
  await api.createWebsite({ url: 'https://secret.example' });
  const reading = api.send('GET', WEBSITES, { key });
  while (waiting.length === 0) await sleep(5);
  const fewer = { ...member, websiteIds: [id], updatedAt: new Date(member.updatedAt.getTime() + 1) };
  await repositories.people.replaceMember(fewer, member.updatedAt, UNRECORDED);
  await sleep(1_000);
  for (const go of waiting) go();

  const { status, text, headers } = await reading;
  expect([status, text.includes('secret.example'), headers['retry-after']]).toEqual([503, false, '1']);
  const again = api.send('GET', WEBSITES, { key });
  while (waiting.length === 1) await sleep(5);
  for (const go of waiting) go();
  expect((await again).list().data.map((website) => website.id)).toEqual([id]);
});

test('a file of a member who is removed while it arrives is not imported', async () => {
  const { api, key, member, repositories } = await start();
  const { id } = await api.createWebsite();
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const file = async function* () {
    yield Buffer.from('date,');
    await sleep(300);
    await repositories.people.deleteMember(member.accountId, member.personId, UNRECORDED);
    await sleep(1_000);
    yield Buffer.from('page\n2026-11-01,/\n');
  };
  const response = await fetch(`${url}${WEBSITES}/${id}/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body: ReadableStream.from(file()),
    duplex: 'half',
  } as RequestInit);

  expect(response.status).toBe(401);
  expect(await repositories.imports.list({ accountId: api.accountId, websiteId: id })).toEqual([]);
});
