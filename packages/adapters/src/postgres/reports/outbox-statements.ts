import { sql } from 'kysely';
import { type Placeholders, statement } from '../connection/statement.ts';
import type { ReportTable } from '../migrations/tables.ts';

/** Websites that get a report about a week that ended at a time, with where it goes. */
const subscribedBefore = (end: ReturnType<typeof sql<Date>>) => sql`
  website.email_reports and account.email is not null
  and coalesce(website.email_since, website.created_at) < ${end}::timestamptz
  and account.email_since < ${end}::timestamptz`;

const numberOf = (id: ReturnType<typeof sql<string>>) => sql`(select number from website where id = ${id})`;

export const recordReports = statement(
  'record_reports',
  (p: Placeholders<{ week: string; end: Date; now: Date; limit: number }>) => sql`
    insert into report (website_number, week, state, failures, next_try)
    select website.number, ${p('week')}::text, 'waiting', 0, ${p('now')}::timestamptz
    from website join account on account.id = website.account_id
    where ${subscribedBefore(p('end'))}
      and not exists (
        select from report where report.website_number = website.number and report.week = ${p('week')}::text)
    limit ${p('limit')}
    on conflict do nothing`,
);

/** The report that is due longest: leased, or deleted where its website does not get it any more; `email` is null then. */
export const claimReport = statement(
  'claim_report',
  (p: Placeholders<{ week: string; end: Date; now: Date; leasedUntil: Date }>) => sql<{
    id: string;
    scheme: string;
    address: string;
    email: string | null;
    failures: number;
  }>`
    with due as (
      select website_number, week, failures from report
      where state = 'waiting' and week = ${p('week')} and next_try <= ${p('now')}::timestamptz
      order by next_try, website_number limit 1 for update skip locked
    ), known as (
      select due.*, website.id, website.scheme, website.address,
        case when ${subscribedBefore(p('end'))} then account.email end as email
      from due join website on website.number = due.website_number join account on account.id = website.account_id
    ), dropped as (
      delete from report using known
      where report.website_number = known.website_number and report.week = known.week and known.email is null
    ), claimed as (
      update report set next_try = ${p('leasedUntil')}::timestamptz from known
      where report.website_number = known.website_number and report.week = known.week and known.email is not null
    )
    select id, scheme, address, email, failures from known`,
);

export const finishReport = statement(
  'finish_report',
  (p: Placeholders<{ id: string; week: string; outcome: 'sent' | 'skipped' }>) => sql`
    update report set state = ${p('outcome')}, detail = null, failed_at = null
    where website_number = ${numberOf(p('id'))} and week = ${p('week')} and state <> 'sent'`,
);

type Failed = {
  id: string;
  week: string;
  leasedUntil: Date;
  detail: string;
  at: Date;
  nextTry: Date;
  state: ReportTable['state'];
};

export const failReport = statement(
  'fail_report',
  (p: Placeholders<Failed>) => sql`
    update report set state = ${p('state')}, failures = failures + 1, next_try = ${p('nextTry')}::timestamptz,
      detail = ${p('detail')}, failed_at = ${p('at')}::timestamptz
    where website_number = ${numberOf(p('id'))} and week = ${p('week')}
      and state = 'waiting' and next_try = ${p('leasedUntil')}::timestamptz`,
);

/** What waits of earlier weeks and is not leased; `detail` is null where it never failed, and so was dropped. */
export const expireReports = statement(
  'expire_reports',
  (p: Placeholders<{ week: string; now: Date }>) => sql<{ id: string; week: string; detail: string | null }>`
    with old as (
      select website_number, week, detail from report
      where state = 'waiting' and week < ${p('week')} and next_try <= ${p('now')}::timestamptz for update skip locked
    ), dropped as (
      delete from report using old
      where report.website_number = old.website_number and report.week = old.week and old.detail is null
    ), failed as (
      update report set state = 'failed' from old
      where report.website_number = old.website_number and report.week = old.week and old.detail is not null
    )
    select website.id, old.week, old.detail from old join website on website.number = old.website_number`,
);

export const deleteReportsBefore = statement(
  'delete_reports_before',
  (p: Placeholders<{ week: string }>) => sql`delete from report where week < ${p('week')}`,
);

/** The latest that was sent or given up. */
export const findLatestReport = statement(
  'find_latest_report',
  (p: Placeholders<{ id: string }>) => sql<Pick<ReportTable, 'week' | 'state' | 'detail' | 'failed_at'>>`
    select week, state, detail, failed_at from report
    where website_number = ${numberOf(p('id'))} and state in ('sent', 'failed') order by week desc limit 1`,
);
