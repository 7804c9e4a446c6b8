import { randomBytes } from 'node:crypto';
import { createAccount } from '@hitherto/domain/access';
import { timeZone } from '@hitherto/domain/calendar';
import { type AuditEntry, COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { wholeAccount } from '@hitherto/domain/websites';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { aCountedHit, aDelivery, anApiKey, aWebsite, fixedClock } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { jobsOf } from '../src/jobs/jobs.ts';
import { inMemoryDatabase } from './support/in-memory-database.ts';

const DAY_MS = 86_400_000;

/** An account on the in-memory adapter, and the background work of the service on it. */
async function start({ auditRetentionDays = 400 } = {}) {
  const { now, advance } = fixedClock();
  const repositories = createInMemoryRepositories();
  const { id: accountId } = await createAccount(
    { ...repositories, now, newId, randomBytes, author: COMMAND_LINE },
    'é 🦊',
  );
  const jobs = jobsOf({
    database: inMemoryDatabase(repositories),
    reports: undefined,
    deliveries: aDelivery(repositories, now),
    alertChecker: {
      ...repositories,
      zone: timeZone('UTC'),
      now,
      newId,
      pageUrlOf: () => undefined,
      onFired: () => {},
    },
    checks: {
      ...repositories,
      timeZones: repositories.outbox.timeZones,
      zone: timeZone('UTC'),
      now,
      newId,
      onOpened: () => {},
    },
    alertSender: undefined,
    mailSender: undefined,
    auditRetentionDays,
    retentionDays: 400,
    now,
  });
  const runJobs = async () => {
    for (const { work } of jobs) await work(new AbortController().signal);
  };
  return { repositories, accountId, now, advance, runJobs };
}

describe('entries of the audit trail (api.md, "Changes")', () => {
  const actionsOf = (entries: readonly AuditEntry[]) => entries.map(({ action }) => action);

  test('are deleted once they are older than AUDIT_RETENTION_DAYS', async () => {
    const { repositories, accountId, advance, runJobs } = await start({ auditRetentionDays: 7 });
    const list = async () => actionsOf((await repositories.audit.list(wholeAccount(accountId), {}, 10)).entries);

    advance(7 * DAY_MS);
    await runJobs();
    expect(await list()).toEqual(['account.created']);

    advance(1);
    await runJobs();
    expect(await list()).toEqual([]);
  });

  test('are kept forever with AUDIT_RETENTION_DAYS=0', async () => {
    const { repositories, accountId, advance, runJobs } = await start({ auditRetentionDays: 0 });

    advance(10_000 * DAY_MS);
    await runJobs();

    expect(actionsOf((await repositories.audit.list(wholeAccount(accountId), {}, 10)).entries)).toEqual([
      'account.created',
    ]);
  });
});

test('sessions are deleted when they expire', async () => {
  const { repositories, accountId, now, advance, runJobs } = await start();
  const key = anApiKey({ accountId, createdAt: now() });
  await repositories.access.insertKey(key, UNRECORDED);
  const expiresAt = new Date(now().getTime() + 30 * DAY_MS);
  const times = { createdAt: now(), lastUsedAt: now(), expiresAt };
  await repositories.sessions.insert({ hash: 'h', of: { keyId: key.id }, ...times, browser: null, network: null });

  advance(30 * DAY_MS - 1);
  await runJobs();
  expect(await repositories.sessions.find('h')).toBeDefined();

  advance(1);
  await runJobs();
  expect(await repositories.sessions.find('h')).toBeUndefined();
});

test('idempotency records are deleted when they expire', async () => {
  const { repositories, accountId, now, advance, runJobs } = await start();
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + DAY_MS);
  const record = { keyHash: 'é', fingerprint: 'f', sealedResponse: 's', expiresAt };
  await repositories.websites.insert(accountId, aWebsite(), { ...UNRECORDED, record });
  // An expired record is not found, so this asks as of an earlier time.
  const find = () => repositories.idempotency.find(accountId, 'é', createdAt);

  advance(DAY_MS - 1);
  await runJobs();
  expect(await find()).toEqual(record);

  advance(1);
  await runJobs();
  expect(await find()).toBeUndefined();
});

test('websites are checked once their day is over', async () => {
  const { repositories, accountId, now, advance, runJobs } = await start();
  const website = aWebsite({ url: 'https://a.example' });
  const key = { accountId, websiteId: website.id };
  await repositories.websites.insert(accountId, website, UNRECORDED);
  const hits = Array.from({ length: 100 }, (_, n) =>
    aCountedHit({ websiteId: website.id, visitor: BigInt(n), time: now() }),
  );
  await repositories.hits.add(hits);
  repositories.notedHits.add({
    ...{ websiteId: website.id, day: '2026-11-20', kind: 'foreign_host' },
    ...{ value: 'b.example', hits: 50 },
  });

  await runJobs();
  expect(await repositories.findings.list(key)).toEqual([]);

  advance(DAY_MS / 2);
  await runJobs();
  expect(await repositories.findings.list(key)).toMatchObject([{ check: 'unknown_host', evidence: { hits: 50 } }]);
});
