import type { ReportOutbox } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../system.ts';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

/** How many reports are recorded in one statement. */
const RECORDED_AT_ONCE = 5_000;

/** Websites that get a report about a week that ended at a time, and where it goes. */
const subscribedBefore = (end: ReturnType<typeof sql<Date>>) => sql`
  website join account on account.id = website.account_id
  where website.email_reports and account.email is not null
    and coalesce(website.email_since, website.created_at) < ${end}::timestamptz
    and account.email_since < ${end}::timestamptz`;

const recordReports = statement(
  'record_reports',
  (p: Placeholders<{ week: string; end: Date; now: Date; limit: number }>) => sql`
    insert into task (kind, website_number, key, state, failures, due_at)
    select 'report', website.number, ${p('week')}::text, 'waiting', 0, ${p('now')}::timestamptz
    from ${subscribedBefore(p('end'))}
      and not exists (
        select from task
        where kind = 'report' and task.website_number = website.number and task.key = ${p('week')}::text)
    limit ${p('limit')}
    on conflict do nothing`,
);

const findRecipient = statement(
  'find_recipient',
  (p: Placeholders<{ id: string; end: Date }>) => sql<{ scheme: string; address: string; email: string }>`
    select scheme, address, email from ${subscribedBefore(p('end'))} and website.id = ${p('id')}`,
);

/** Records reports as tasks in PostgreSQL. Long statements run on `background`. */
export function createReportOutbox(database: Database, background: Database): ReportOutbox {
  return {
    async record(week, end, now) {
      return (await background.query(recordReports.with({ week, end, now, limit: RECORDED_AT_ONCE }))).count;
    },

    async findRecipient(websiteId, end) {
      if (!isId(websiteId)) return undefined;
      const { rows } = await database.query(findRecipient.with({ id: websiteId, end }));
      const [row] = rows;
      return row && { website: { id: websiteId, url: `${row.scheme}://${row.address}` }, to: row.email };
    },
  };
}
