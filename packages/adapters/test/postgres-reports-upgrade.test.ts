import type { Website } from '@hitherto/domain';
import { createDatabase, rowsOf, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../src/postgres/index.ts';
import { addReader, addReported, after, claim, claimAll, DUE, MONDAY, WEEK } from './reported.ts';
import { undoFrom } from './undo-migrations.ts';

const LEASE = after(10);

let database: TestDatabase;
let ports: PostgresRepositories;
let websites: Website[];

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  ports = openPostgres({ connection: database.url, log: () => {} });
  const accountId = await addReader(ports);
  websites = [];
  for (let count = 0; count < 4; count += 1) websites.push(await addReported(ports, accountId));
  await run(database.url, undoFrom('0015-tasks'));
});

afterEach(async () => {
  await ports.close();
  await database.drop();
});

const migrate = () => ports.migrate();

/** What the version before does with reports, in its own statements. */
const former = {
  record: () =>
    run(
      database.url,
      `insert into report (website_number, week, state, failures, next_try)
       select website.number, $1::text, 'waiting', 0, $2::timestamptz
       from website join account on account.id = website.account_id
       where website.email_reports and not exists (
         select from report where report.website_number = website.number and report.week = $1::text)
       limit 5000
       on conflict do nothing`,
      [WEEK, MONDAY],
    ),
  claim: async (now = MONDAY) => {
    const [row] = await rowsOf<{ id: string }>(
      database.url,
      `with due as (
         select website_number, week, failures from report
         where state = 'waiting' and week = $1 and next_try <= $2::timestamptz
         order by next_try, website_number limit 1 for update skip locked
       ), known as (
         select due.*, website.id from due join website on website.number = due.website_number
       ), claimed as (
         update report set next_try = $3::timestamptz from known
         where report.website_number = known.website_number and report.week = known.week
       )
       select id from known`,
      [WEEK, now, new Date(now.getTime() + 600_000)],
    );
    return row?.id;
  },
  finish: (id: string) =>
    run(
      database.url,
      `update report set state = 'sent', detail = null, failed_at = null
       where website_number = (select number from website where id = $1) and week = $2 and state <> 'sent'`,
      [id, WEEK],
    ),
  fail: (id: string) =>
    run(
      database.url,
      `update report set state = 'failed', failures = failures + 1, next_try = $4::timestamptz, detail = 'no', failed_at = $4
       where website_number = (select number from website where id = $1) and week = $2
         and state = 'waiting' and next_try = $3::timestamptz`,
      [id, WEEK, LEASE, MONDAY],
    ),
  expire: (week: string) =>
    run(
      database.url,
      `with old as (
         select website_number, week, detail from report
         where state = 'waiting' and week < $1 and next_try <= $2::timestamptz for update skip locked
       )
       delete from report using old
       where report.website_number = old.website_number and report.week = old.week and old.detail is null`,
      [week, LEASE],
    ),
};

const claimedBefore = async () => {
  const id = await former.claim();
  if (id === undefined) throw new Error('Nothing is due.');
  return id;
};

it('an upgrade keeps what is recorded: sent, failed, claimed and waiting reports', async () => {
  await former.record();
  const [sent, failed, held] = [await claimedBefore(), await claimedBefore(), await claimedBefore()];
  await former.finish(sent);
  await former.fail(failed);

  await migrate();

  const historyOf = (id: string) => ports.tasks.history('report', id);
  expect(await ports.outbox.record(DUE, MONDAY)).toBe(0);
  expect(await historyOf(sent)).toStrictEqual([{ key: WEEK, state: 'sent', failure: undefined }]);
  expect(await historyOf(failed)).toMatchObject([{ state: 'failed', failure: { detail: 'no' } }]);
  expect((await claimAll(ports)).map(({ websiteId }) => websiteId)).toEqual(
    websites.map(({ id }) => id).filter((id) => ![sent, failed, held].includes(id)),
  );
  expect((await claim(ports, LEASE))?.websiteId).toBe(held);
});

it('the version before sends no report that this one sends, nor the other way round', async () => {
  await former.record();
  const earlier = await claimedBefore();
  await migrate();

  await former.record();
  expect(await ports.outbox.record(DUE, MONDAY)).toBe(0);
  const mine = [await claim(ports), await claim(ports)];
  const its = [await former.claim(), await former.claim()];
  const [first, second] = mine;
  if (first === undefined || second === undefined) throw new Error('Nothing is due.');
  await ports.tasks.finish(first, 'sent');
  await former.finish(earlier);
  await former.fail(String(its[0]));

  const all = [earlier, first.websiteId, second.websiteId, its[0]];
  expect(all.toSorted()).toEqual(websites.map(({ id }) => id).toSorted());
  expect(its[1]).toBeUndefined();
  expect([await former.claim(LEASE), await claim(ports, LEASE)]).toEqual([second.websiteId, undefined]);
  expect(await ports.tasks.history('report', earlier)).toMatchObject([{ state: 'sent' }]);
  expect(await ports.tasks.history('report', String(its[0]))).toMatchObject([{ state: 'failed' }]);
});

it('the version before records and drops reports as tasks', async () => {
  await migrate();

  await former.record();
  const recorded = await ports.outbox.record(DUE, MONDAY);
  await former.expire('2026-W48');

  expect(recorded).toBe(0);
  expect(await ports.outbox.record(DUE, MONDAY)).toBe(4);
});
