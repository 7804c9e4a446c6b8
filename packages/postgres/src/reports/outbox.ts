import { isId } from '@hitherto/domain/base';
import type { ReportOutbox } from '@hitherto/domain/reports';
import type { Privacy } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { delivering } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import { findTimeZones } from '../statistics/zones.ts';

/** How many reports are recorded in one statement. */
const RECORDED_AT_ONCE = 5_000;

/** Websites that get reports of the kind `kind`, and where they go. */
const RECIPIENTS = sql`website join account on account.id = website.account_id and email_reports and email is not null
  join (values ('weekly'), ('monthly')) kinds (kind) on report in (kind, 'both')`;

/** Since when they get them. */
const SINCE = sql`greatest(coalesce(website.email_since, website.created_at), account.email_since)`;

/** Who gets reports about a website: its account (no reader), members who have turned them on, and confirmed recipients. */
const SUBSCRIBERS = sql`(
  select website.number, time_zone, null::text as reader, kind, ${SINCE} as since from ${RECIPIENTS}
  union all
  select website.number, time_zone, person_id::text, kinds.kind, kinds.since
  from mail_subscription
    join website on website.number = website_number and website.account_id = mail_subscription.account_id
    cross join lateral (values ('weekly', weekly_since), ('monthly', monthly_since)) kinds (kind, since)
  where kinds.since is not null
  union all
  select website.number, time_zone, 'recipient.' || recipient.id, kinds.kind, confirmed_at
  from recipient join website on website.number = website_number
    join (values ('weekly'), ('monthly')) kinds (kind) on report in (kinds.kind, 'both')
  where confirmed_at is not null
) subscriber`;

/** Stands for the time zone of websites without their own. */
const NO_ZONE = '';

const recordReports = statement(
  'record_reports',
  (
    p: Placeholders<{
      zones: string[];
      kinds: string[];
      names: string[];
      firstDays: string[];
      lastDays: string[];
      ends: Date[];
      now: Date;
      limit: number;
    }>,
  ) => sql`
    with recorded as (
    insert into task (kind, website_number, key, state, failures, due_at)
    select 'report', subscriber.number, name.key, 'waiting', 0, ${p('now')}::timestamptz
    from ${SUBSCRIBERS}
      join unnest(${p('zones')}::text[], ${p('kinds')}::text[], ${p('names')}::text[], ${p('ends')}::timestamptz[])
        due (zone, kind, name, ended)
        on due.zone = coalesce(time_zone, ${sql.lit(NO_ZONE)}) and due.kind = subscriber.kind and since < due.ended
      cross join lateral (select concat_ws(' ', due.name, reader) as key) name
    where not exists (
      select from task where kind = 'report' and task.website_number = subscriber.number and task.key = name.key)
    limit ${p('limit')}
    on conflict do nothing
    returning website_number, key
    ), event as (
      select website.account_id, website.id as website_id, 'report.ready' as type, ${p('now')}::timestamptz as at,
        json_build_object(
          'website', json_build_object('id', website.id, 'url', website.scheme || '://' || website.address),
          case kind when 'weekly' then 'week' else 'month' end,
          json_build_object('name', name, 'from', first_day, 'to', last_day)) as data
      from recorded join website on website.number = website_number
        join (
          select distinct kind, name, first_day, last_day
          from unnest(${p('kinds')}::text[], ${p('names')}::text[], ${p('firstDays')}::text[], ${p('lastDays')}::text[])
            due (kind, name, first_day, last_day)
        ) period on period.name = recorded.key
    ), deliverable as (${delivering(sql`event`, sql`true`)})
    select from recorded`,
);

interface RecipientRow {
  readonly accountId: string;
  readonly scheme: string;
  readonly address: string;
  readonly timeZone: string | null;
  readonly language: string | null;
  readonly privacy: Privacy;
  readonly email: string;
  readonly since: Date;
}

const findRecipient = statement(
  'find_recipient',
  (p: Placeholders<{ id: string; kind: string }>) => sql<RecipientRow>`
    select account_id as "accountId", scheme, address, time_zone as "timeZone", website.language, privacy, email, ${SINCE} as since
    from ${RECIPIENTS} where website.id = ${p('id')} and kind = ${p('kind')}`,
);

/** Records reports as tasks in PostgreSQL. Long statements run on `background`. */
export function createReportOutbox(database: Database, background: Database): ReportOutbox {
  return {
    timeZones: () => findTimeZones(background),

    async record(due, now) {
      const zones = due.map(({ timeZone }) => timeZone ?? NO_ZONE);
      const [kinds, names] = [due.map(({ period }) => period.kind), due.map(({ period }) => period.name)];
      const [firstDays, lastDays] = [due.map(({ period }) => period.from), due.map(({ period }) => period.to)];
      const ends = due.map(({ end }) => end);
      const parameters = { zones, kinds, names, firstDays, lastDays, ends, now, limit: RECORDED_AT_ONCE };
      return (await background.query(recordReports.with(parameters))).count;
    },

    async findRecipient(websiteId, kind) {
      if (!isId(websiteId)) return undefined;
      const { rows } = await database.query(findRecipient.with({ id: websiteId, kind }));
      const [row] = rows;
      if (row === undefined) return undefined;
      const { accountId, scheme, address, timeZone, language, privacy, email, since } = row;
      const website = { id: websiteId, url: `${scheme}://${address}`, timeZone, language, privacy };
      return { accountId, website, to: email, language: null, since };
    },
  };
}
