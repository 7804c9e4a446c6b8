import {
  type Alert,
  type AlertMail,
  type AlertRepository,
  type AlertState,
  MAX_ALERTS,
  NEW_STATE,
  tooManyAlerts,
} from '@hitherto/domain/alerts';
import { isId } from '@hitherto/domain/base';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { delivering, eventsIn, toDeliverable } from '../changes.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import { createOwned, type OwnedDependencies } from './owned.ts';

const COLUMNS = sql`alert.id, rule, threshold, hours, percent, goal_id as "goalId", email, webhooks,
  alert.created_at as "createdAt", alert.updated_at as "updatedAt"`;

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

const findSpikes = statement(
  'find_spikes',
  (p: Placeholders<{ websiteIds: readonly string[]; since: Date }>) => sql<{ websiteId: string; at: Date }>`
    select website.id as "websiteId", max((state ->> 'firedAt')::timestamptz) as at
    from website join alert on website_number = website.number and rule = 'spike'
    where website.id = any(${p('websiteIds')}::uuid[])
      and (state ->> 'firedAt')::timestamptz >= ${p('since')}::timestamptz
    group by website.id`,
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
  readonly deliverable: string;
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
      select 'alert', website_number, concat_ws(' ', ${p('key')}::text, person_id::text), 'waiting', 0,
        ${p('at')}::timestamptz, ${p('payload')}::json
      from (
        select website_number, null::uuid as person_id from recorded where email
        union all
        select website_number, person_id from mail_subscription
        where alerts and website_number in (select website_number from recorded)
      ) recipient
      where ${p('key')}::text is not null
    ), deliverable as (${delivering(eventsIn(p('deliverable')), sql`exists (select from recorded where webhooks)`)})
    select from recorded`,
);

/** Stores alerts in PostgreSQL. */
export function createAlertRepository(deps: OwnedDependencies): AlertRepository {
  const { database } = deps;
  const owned = createOwned<WebsiteKey, Alert>(deps, {
    name: 'alert',
    owner: 'website',
    columns: {
      rule: ['rule', 'text'],
      threshold: ['threshold', 'integer'],
      hours: ['hours', 'integer'],
      percent: ['percent', 'integer'],
      goalId: ['goal_id', 'uuid'],
      email: ['email', 'boolean'],
      webhooks: ['webhooks', 'boolean'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    fixed: ['rule'],
    limit: MAX_ALERTS,
    tooMany: tooManyAlerts,
    inserting: (p) => ({ state: sql`${p('state')}::json` }),
    // A new condition counts as false until the next check.
    replacing: (p) => ({
      state: sql`case
        when (alert.threshold, alert.hours, alert.percent, alert.goal_id) is distinct from
          (${p('threshold')}::integer, ${p('hours')}::integer, ${p('percent')}::integer, ${p('goalId')}::uuid)
        then (alert.state::jsonb || '{"holds": false}')::json else alert.state end`,
    }),
    toValues: ({ goalId, ...alert }) => ({ ...alert, goalId: goalId !== null && isId(goalId) ? goalId : null }),
    toResource: (row) => row,
  });

  return {
    ...owned,

    async insert(website, alert, change, state = NEW_STATE) {
      await owned.insert(website, alert, change, { state: JSON.stringify(state) });
      return undefined;
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
      const about = { id, updatedAt, checkedAt, state: JSON.stringify(state), ...toDeliverable(firing?.event) };
      if (firing === undefined) {
        return (await database.query(recordCheck.with({ ...about, key: null, at: null, payload: null }))).count === 1;
      }
      const { at, data } = firing.event;
      const mail: AlertMail = { accountId, at: at.toISOString(), website: data.website, alert: data.alert };
      const payload = JSON.stringify(mail);
      return (await database.query(recordCheck.with({ ...about, key: firing.id, at, payload }))).count === 1;
    },

    async spikes(websiteIds, since) {
      const known = websiteIds.filter(isId);
      const rows = known.length === 0 ? [] : await database.read(findSpikes.with({ websiteIds: known, since }));
      return new Map(rows.map(({ websiteId, at }) => [websiteId, at]));
    },
  };
}
