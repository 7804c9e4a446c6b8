import {
  type Alert,
  type AlertMail,
  type AlertRepository,
  type AlertState,
  MAX_ALERTS,
  tooManyAlerts,
} from '@hitherto/domain/alerts';
import { DomainError, isId } from '@hitherto/domain/base';
import type { Change } from '@hitherto/domain/changes';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { eventsIn, noting, telling, toNoted, toTold } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';

type OfAlert = WebsiteKey & { readonly id: string };
type Written = WebsiteKey & Omit<Alert, 'createdAt'> & { readonly noted: string };
type Inserted = Written & { readonly state: string; readonly createdAt: Date; readonly limit: number };
type Replaced = Written & { readonly hasNewCondition: boolean; readonly expected: Date };

const COLUMNS = sql`alert.id, rule, threshold, hours, percent, goal_id as "goalId", email, webhooks,
  alert.created_at as "createdAt", alert.updated_at as "updatedAt"`;

const ofWebsite = (p: Placeholders<WebsiteKey>) => sql`
  website.number = alert.website_number and website.account_id = ${p('accountId')} and website.id = ${p('websiteId')}`;

const listAlerts = statement(
  'list_alerts',
  (p: Placeholders<WebsiteKey>) => sql<Alert | { id: null }>`
    select ${COLUMNS} from website left join alert on alert.website_number = website.number
    where website.account_id = ${p('accountId')} and website.id = ${p('websiteId')} order by alert.number`,
);

const findAlert = statement(
  'find_alert',
  (p: Placeholders<OfAlert>) => sql<Alert>`
    select ${COLUMNS} from alert, website where alert.id = ${p('id')} and ${ofWebsite(p)}`,
);

/** Inserts of one website wait for each other. */
const lockWebsite = statement(
  'lock_website_for_alerts',
  (p: Placeholders<WebsiteKey>) => sql`
    select number from website where account_id = ${p('accountId')} and id = ${p('websiteId')} for no key update`,
);

const insertAlert = statement('insert_alert', (p: Placeholders<Inserted>) =>
  noting(
    sql`
    insert into alert (id, website_number, rule, threshold, hours, percent, goal_id, email, webhooks, state, created_at,
      updated_at)
    select ${p('id')}::uuid, website.number, ${p('rule')}, ${p('threshold')}::integer, ${p('hours')}::integer,
      ${p('percent')}::integer, ${p('goalId')}::uuid, ${p('email')}::boolean, ${p('webhooks')}::boolean, ${p('state')}::json,
      ${p('createdAt')}::timestamptz, ${p('updatedAt')}::timestamptz
    from website where account_id = ${p('accountId')} and website.id = ${p('websiteId')}
      and (select count(*) from alert where website_number = website.number) < ${p('limit')}::integer`,
    p('noted'),
  ),
);

const replaceAlert = statement('replace_alert', (p: Placeholders<Replaced>) =>
  noting(
    sql`
    update alert set threshold = ${p('threshold')}::integer, hours = ${p('hours')}::integer,
      percent = ${p('percent')}::integer, goal_id = ${p('goalId')}::uuid, email = ${p('email')}, webhooks = ${p('webhooks')},
      state = case when ${p('hasNewCondition')}::boolean then (alert.state::jsonb || '{"holds": false}')::json
        else alert.state end,
      updated_at = ${p('updatedAt')}
    from website where alert.id = ${p('id')} and ${ofWebsite(p)} and alert.updated_at = ${p('expected')}`,
    p('noted'),
  ),
);

const deleteAlert = statement('delete_alert', (p: Placeholders<OfAlert & { expected: Date; noted: string }>) =>
  noting(
    sql`
    delete from alert using website
    where alert.id = ${p('id')} and ${ofWebsite(p)} and alert.updated_at = ${p('expected')}`,
    p('noted'),
  ),
);

interface ClaimRow extends Alert {
  readonly state: AlertState;
  readonly accountId: string;
  readonly websiteId: string;
  readonly scheme: string;
  readonly address: string;
  readonly timeZone: string | null;
}

const claimAlerts = statement(
  'claim_alerts',
  (p: Placeholders<{ now: Date; limit: number }>) => sql<ClaimRow>`
    with due as (
      select id from alert
      where checked_at is null or checked_at <= ${p('now')}::timestamptz - interval '1 minute'
        or checked_at > ${p('now')}::timestamptz
      order by checked_at nulls first limit ${p('limit')} for update skip locked
    )
    update alert set checked_at = ${p('now')}::timestamptz from due, website
    where alert.id = due.id and website.number = alert.website_number
    returning ${COLUMNS}, state, account_id as "accountId", website.id as "websiteId", scheme, address,
      time_zone as "timeZone"`,
);

interface Recorded {
  readonly id: string;
  readonly updatedAt: Date;
  readonly checkedAt: Date;
  readonly state: string;
  /** The key of the mail; `null` if the alert did not fire. */
  readonly key: string | null;
  readonly at: Date | null;
  readonly payload: string | null;
  readonly told: string;
}

const recordCheck = statement(
  'record_alert_check',
  (p: Placeholders<Recorded>) => sql`
    with recorded as (
      update alert set state = ${p('state')}::json
      where id = ${p('id')} and updated_at = ${p('updatedAt')} and checked_at = ${p('checkedAt')}
      returning website_number, email, webhooks
    ), mailed as (
      insert into task (kind, website_number, key, state, failures, due_at, payload)
      select 'alert', website_number, ${p('key')}::text, 'waiting', 0, ${p('at')}::timestamptz, ${p('payload')}::json
      from recorded where email and ${p('key')}::text is not null
    ), told as (${telling(eventsIn(p('told')), sql`exists (select from recorded where webhooks)`)})
    select from recorded`,
);

/** Stores alerts in PostgreSQL. */
export function createAlertRepository(database: Database): AlertRepository {
  return {
    async list(website) {
      if (!isKey(website)) return undefined;
      const rows = await database.read(listAlerts.with(website));
      return rows.length === 0 ? undefined : rows.flatMap((row) => (row.id === null ? [] : [row]));
    },

    async find(website, id) {
      if (!isKey(website) || !isId(id)) return undefined;
      return (await database.read(findAlert.with({ ...website, id })))[0];
    },

    async insert(website, alert, state, change) {
      await database.transaction((transaction) => insert(transaction, website, alert, state, change));
    },

    async replace(website, alert, hasNewCondition, expected, change) {
      if (!isKey(website) || !isId(alert.id)) return false;
      const row = { ...written(website, alert), hasNewCondition, expected, ...toNoted(change) };
      return (await database.query(replaceAlert.with(row))).count === 1;
    },

    async delete(website, id, expected, change) {
      if (!isKey(website) || !isId(id)) return false;
      return (await database.query(deleteAlert.with({ ...website, id, expected, ...toNoted(change) }))).count === 1;
    },

    async claim(now, limit) {
      const { rows } = await database.query(claimAlerts.with({ now, limit }));
      return rows.map(({ state, accountId, websiteId, scheme, address, timeZone, ...alert }) => ({
        alert,
        accountId,
        website: { id: websiteId, url: `${scheme}://${address}`, timeZone },
        state,
        checkedAt: new Date(now),
      }));
    },

    async record({ alert, accountId, checkedAt }, state, firing) {
      const { id, updatedAt } = alert;
      const about = { id, updatedAt, checkedAt, state: JSON.stringify(state), ...toTold(firing?.event) };
      if (firing === undefined) {
        return (await database.query(recordCheck.with({ ...about, key: null, at: null, payload: null }))).count === 1;
      }
      const { at, data } = firing.event;
      const mail: AlertMail = { accountId, at: at.toISOString(), website: data.website, alert: data.alert };
      const payload = JSON.stringify(mail);
      return (await database.query(recordCheck.with({ ...about, key: firing.id, at, payload }))).count === 1;
    },
  };
}

async function insert(
  transaction: Transaction,
  website: WebsiteKey,
  alert: Alert,
  state: AlertState,
  change: Change,
): Promise<void> {
  if (!isKey(website)) throw websiteGone();
  if ((await transaction.query(lockWebsite.with(website))).count === 0) throw websiteGone();
  const { createdAt } = alert;
  const row = { ...written(website, alert), state: JSON.stringify(state), createdAt, ...toNoted(change) };
  const query = insertAlert.with({ ...row, limit: MAX_ALERTS });
  if ((await transaction.query(query)).count === 0) throw tooManyAlerts();
}

function written({ accountId, websiteId }: WebsiteKey, { createdAt: _, ...alert }: Alert) {
  const goalId = alert.goalId !== null && isId(alert.goalId) ? alert.goalId : null;
  return { accountId, websiteId, ...alert, goalId };
}

function isKey({ accountId, websiteId }: WebsiteKey): boolean {
  return isId(accountId) && isId(websiteId);
}

function websiteGone(): DomainError {
  return new DomainError('not_found', 'The website is gone.');
}
