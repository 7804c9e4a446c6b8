import { isId, storableJson } from '@hitherto/domain/base';
import { type CoverageReport, type CoverageRepository, KEPT_REPORTS } from '@hitherto/domain/insight';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

interface Written {
  readonly id: string;
  readonly coverage: string | null;
  readonly problem: string | null;
}

const insertReport = statement(
  'insert_coverage_report',
  (p: Placeholders<Written & WebsiteKey & { createdAt: Date }>) => sql`
    insert into coverage_report (website_number, id, coverage, problem, created_at)
    select number, ${p('id')}::uuid, ${p('coverage')}::json, ${p('problem')}::json, ${p('createdAt')}::timestamptz
    from website where id = ${p('websiteId')} and account_id = ${p('accountId')} for key share`,
);

const deleteEarlier = statement(
  'delete_earlier_coverage_reports',
  (p: Placeholders<WebsiteKey & { kept: number }>) => sql`
    delete from coverage_report where number in (
      select coverage_report.number from coverage_report join website on website_number = website.number
      where website.id = ${p('websiteId')} order by coverage_report.number desc offset ${p('kept')})`,
);

const endReport = statement(
  'end_coverage_report',
  (p: Placeholders<Written>) => sql`
    update coverage_report set coverage = ${p('coverage')}::json, problem = ${p('problem')}::json
    where id = ${p('id')}`,
);

const listReports = statement(
  'list_coverage_reports',
  (p: Placeholders<WebsiteKey>) => sql<CoverageReport | { id: null }>`
    select coverage_report.id, coverage, problem, coverage_report.created_at as "createdAt"
    from website left join coverage_report on website_number = website.number
    where website.id = ${p('websiteId')} and account_id = ${p('accountId')}
    order by coverage_report.number desc`,
);

const deleteReports = statement(
  'delete_coverage_reports',
  (p: Placeholders<{ time: Date }>) => sql`delete from coverage_report where created_at < ${p('time')}::timestamptz`,
);

/**
 * Stores in PostgreSQL what uploaded logs have shown.
 *
 * @param jobs for the work in the background
 */
export function createCoverageRepository(database: Database, jobs: Database): CoverageRepository {
  return {
    async insert(website, { createdAt, ...report }) {
      if (!isId(website.accountId) || !isId(website.websiteId)) return false;
      return database.transaction(async (transaction) => {
        const written = { ...website, ...toWritten(report.id, report), createdAt };
        const { count } = await transaction.query(insertReport.with(written));
        await transaction.query(deleteEarlier.with({ ...website, kept: KEPT_REPORTS }));
        return count === 1;
      });
    },

    async end(id, result) {
      if (isId(id)) await jobs.query(endReport.with(toWritten(id, result)));
    },

    async list(website) {
      if (!isId(website.accountId) || !isId(website.websiteId)) return undefined;
      const rows = await database.read(listReports.with({ ...website }));
      return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null);
    },

    async deleteBefore(time) {
      await jobs.query(deleteReports.with({ time }));
    },
  };
}

function toWritten(id: string, { coverage, problem }: Pick<CoverageReport, 'coverage' | 'problem'>): Written {
  return {
    id,
    coverage: coverage && storableJson(coverage),
    problem: problem && storableJson(problem),
  };
}
