import { anImport } from '@hitherto/contracts/statistics/imports-support';
import { addAccount } from '@hitherto/contracts/support/repositories';
import { AT, after, anEvent, aWebhook } from '@hitherto/contracts/support/webhooks';
import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import { aMember, anApp, anInvitation, aPerson } from '@hitherto/testing/people';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openPostgres } from '../src/index.ts';
import { hold } from './sessions.ts';

// What belongs to something is written only while that is there: a foreign key would fail the request.

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const repositories = openPostgres({
  connection: database.url,
  log: () => {},
  secretKey: () => new Uint8Array(32).fill(7),
});

let accountId: string;

beforeAll(async () => {
  accountId = await addAccount(repositories);
});

afterAll(async () => {
  await repositories.close();
  await database.drop();
});

async function addWebsite() {
  const website = aWebsite({ id: newId(), url: `https://${newId()}.example`, updatedAt: AT });
  await repositories.websites.insert(accountId, website, UNRECORDED);
  return website;
}

async function addPerson() {
  const person = aPerson();
  const invitation = anInvitation({ accountId, email: person.email });
  await repositories.people.insertInvitation(invitation, UNRECORDED);
  const member = aMember({ accountId, personId: person.id });
  await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
  return person;
}

/** Calls while another session deletes the row. */
async function whileDeleting<T>(table: string, { id }: { readonly id: string }, call: () => Promise<T>): Promise<T> {
  await hold(database.url, `do $$ begin delete from ${table} where id = '${id}'; perform pg_sleep(0.5); end $$`);
  return call();
}

test('a change of a website is written next to a webhook that is deleted', async () => {
  const [website, webhook] = [await addWebsite(), aWebhook({ id: newId() })];
  await repositories.webhooks.insert({ accountId }, webhook, UNRECORDED);
  const change = { ...UNRECORDED, event: anEvent(accountId, website.id) };

  const replacing = () => repositories.websites.replace(accountId, { ...website, updatedAt: after(1) }, AT, change);

  expect(await whileDeleting('webhook', webhook, replacing)).toBe(true);
});

test('a report of coverage is not written to a website that is deleted', async () => {
  const website = await addWebsite();
  const report = { id: newId(), createdAt: AT, coverage: null, problem: null };

  const inserting = () => repositories.coverages.insert({ accountId, websiteId: website.id }, report);

  expect(await whileDeleting('website', website, inserting)).toBe(false);
});

test('an import is not written to a website that is deleted', async () => {
  const website = await addWebsite();

  const inserting = () =>
    repositories.imports.insert({ accountId, websiteId: website.id }, anImport(website.id), UNRECORDED);

  await expect(whileDeleting('website', website, inserting)).rejects.toMatchObject({ code: 'not_found' });
});

test('a finding is not written to a website that is deleted', async () => {
  const website = await addWebsite();
  const finding = {
    ...({ id: newId(), check: 'unknown_host', subject: 'a', since: '2026-11-20', size: 1, status: 'open' } as const),
    ...{ evidence: { host: 'a.example', hits: 60, isAlone: false }, openedAt: AT, updatedAt: AT },
  };

  const recording = () =>
    repositories.findings.record({ accountId, websiteId: website.id }, [
      { finding, expected: undefined, event: undefined },
    ]);

  expect(await whileDeleting('website', website, recording)).toBe(0);
});

test('a batch of a log is not written to a website that is deleted', async () => {
  const website = await addWebsite();
  const to = { beginning: { bytes: 3, sha256: 'a' }, offset: 10, second: 1_795_175_970, linesOfSecond: 2 };

  const adding = () =>
    repositories.logs.add({
      websiteId: website.id,
      log: 'a.log',
      from: undefined,
      to,
      hits: [],
      dropped: [],
      crawled: [],
    });

  expect(await whileDeleting('website', website, adding)).toBe(false);
});

test('mails about a website that is deleted are not turned on', async () => {
  const [person, website] = [await addPerson(), await addWebsite()];
  const wanted = { weekly: [website.id], monthly: [], alerts: [] };

  await whileDeleting('website', website, () => repositories.subscriptions.save(person.id, wanted, AT));

  expect(await repositories.subscriptions.list(person.id)).toEqual([]);
});

test('a second factor is not turned on for a person who is deleted', async () => {
  const person = await addPerson();

  const turningOn = () => repositories.secondFactors.turnOn(anApp({ personId: person.id }), [], '');

  expect(await whileDeleting('person', person, turningOn)).toBe(false);
});
