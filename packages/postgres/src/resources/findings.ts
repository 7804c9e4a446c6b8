import { isId, storableJson } from '@hitherto/domain/base';
import { CHECKS, type Finding, type FindingRepository, type OpenFindings } from '@hitherto/domain/checks';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { delivering, eventsIn, toDeliverable } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

const listFindings = statement(
  'list_findings',
  (p: Placeholders<WebsiteKey & { checks: readonly string[] }>) => sql<Finding | { id: null }>`
    select finding.id, rule as check, subject, since::text as since, size, evidence, status,
      opened_at as "openedAt", finding.updated_at as "updatedAt"
    from website left join finding on website_number = website.number and rule = any(${p('checks')}::text[])
    where website.id = ${p('websiteId')} and account_id = ${p('accountId')}
    order by opened_at desc, finding.number desc`,
);

type Written = Omit<Finding, 'evidence'> & WebsiteKey & { evidence: string; deliverable: string };

const insertFinding = statement(
  'insert_finding',
  (p: Placeholders<Written>) => sql`
    with written as (
      insert into finding (website_number, id, rule, subject, since, size, evidence, status, opened_at, updated_at)
      select number, ${p('id')}::uuid, ${p('check')}::text, ${p('subject')}::text, ${p('since')}::date,
        ${p('size')}::double precision, ${p('evidence')}::json, ${p('status')}::text, ${p('openedAt')}::timestamptz,
        ${p('updatedAt')}::timestamptz
      from website where id = ${p('websiteId')} and account_id = ${p('accountId')} for key share
      on conflict do nothing returning 1
    ), deliverable as (${delivering(eventsIn(p('deliverable')), sql`exists (select from written)`)})
    select from written`,
);

const replaceFinding = statement(
  'replace_finding',
  (p: Placeholders<Written & { expected: Date }>) => sql`
    with written as (
      update finding set since = ${p('since')}::date, size = ${p('size')}::double precision,
        evidence = ${p('evidence')}::json, status = ${p('status')}::text, opened_at = ${p('openedAt')}::timestamptz,
        updated_at = ${p('updatedAt')}::timestamptz
      from website
      where finding.id = ${p('id')} and finding.updated_at = ${p('expected')}::timestamptz
        and website_number = website.number and website.id = ${p('websiteId')} and account_id = ${p('accountId')}
      returning 1
    ), deliverable as (${delivering(eventsIn(p('deliverable')), sql`exists (select from written)`)})
    select from written`,
);

const countOpen = statement(
  'count_open_findings',
  (p: Placeholders<{ websiteIds: readonly string[] }>) => sql<{
    websiteId: string;
    count: number;
    unknownHost: OpenFindings['unknownHost'] | null;
  }>`
    select website.id as "websiteId", count(*)::integer as count,
      (array_agg(evidence order by size desc) filter (where rule = 'unknown_host'))[1] as "unknownHost"
    from website
      join finding on website_number = website.number and status = 'open'
    where website.id = any(${p('websiteIds')}::uuid[]) group by website.id`,
);

const claimWebsites = statement(
  'claim_checks',
  (p: Placeholders<{ timeZone: string | null; day: string; limit: number }>) => sql<WebsiteKey>`
    with due as (
      select number, account_id, id from website left join checked_website on website_number = number
      where time_zone is not distinct from ${p('timeZone')}::text and (day is null or day < ${p('day')}::date)
      order by number limit ${p('limit')} for no key update of website skip locked
    ), claimed as (
      insert into checked_website (website_number, day) select number, ${p('day')}::date from due
      on conflict (website_number) do update set day = excluded.day
    )
    select account_id as "accountId", id as "websiteId" from due order by number`,
);

const deleteFixed = statement(
  'delete_fixed_findings',
  (p: Placeholders<{ time: Date }>) => sql`
    delete from finding where status = 'fixed' and updated_at < ${p('time')}::timestamptz`,
);

/**
 * Stores findings in PostgreSQL.
 *
 * @param jobs for the work of the checks
 */
export function createFindingRepository(database: Database, jobs: Database): FindingRepository {
  return {
    async list({ accountId, websiteId }) {
      if (!isId(accountId) || !isId(websiteId)) return undefined;
      const rows = await database.read(listFindings.with({ accountId, websiteId, checks: CHECKS }));
      return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null);
    },

    async record(website, changes) {
      if (!isId(website.accountId) || !isId(website.websiteId)) return 0;
      let recorded = 0;
      await database.transaction(async (transaction) => {
        for (const { finding, expected, event } of changes) {
          const { evidence, ...fields } = finding;
          const written = { ...website, ...fields, evidence: storableJson(evidence), ...toDeliverable(event) };
          const query =
            expected === undefined ? insertFinding.with(written) : replaceFinding.with({ ...written, expected });
          recorded += (await transaction.query(query)).count;
        }
      });
      return recorded;
    },

    async countOpen(websiteIds) {
      const known = websiteIds.filter(isId);
      const rows = known.length === 0 ? [] : await database.read(countOpen.with({ websiteIds: known }));
      return new Map(
        rows.map(({ websiteId, count, unknownHost }) => [websiteId, { count, unknownHost: unknownHost ?? undefined }]),
      );
    },

    async claim(timeZone, day, limit) {
      return (await jobs.query(claimWebsites.with({ timeZone, day, limit }))).rows;
    },

    async deleteFixedBefore(time) {
      await jobs.query(deleteFixed.with({ time }));
    },
  };
}
