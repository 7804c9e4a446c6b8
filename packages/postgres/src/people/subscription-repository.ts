import { isId } from '@hitherto/domain/base';
import type { Subscriber, Subscription, SubscriptionRepository, WantedMails } from '@hitherto/domain/people';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import { findMember, findPerson } from './people-statements.ts';
import { secondFactorOf } from './session-statements.ts';

type Row = Omit<Subscription, 'reportsSince'> &
  Pick<Subscriber, 'secondFactor'> & {
    readonly accountId: string;
    readonly weekly: Date | null;
    readonly monthly: Date | null;
  };

/** Of websites that are still in the account; they can move to another. */
const listSubscriptions = statement(
  'list_mail_subscriptions',
  (p: Placeholders<{ personId: string }>) => sql<Row>`
    select website.id as "websiteId", website.account_id as "accountId", weekly_since as weekly,
      monthly_since as monthly, alerts,
      ${secondFactorOf(sql`mail_subscription.person_id`)} as "secondFactor"
    from mail_subscription
      join website on website.number = website_number and website.account_id = mail_subscription.account_id
    where person_id = ${p('personId')} order by website.id`,
);

type Wanted = WantedMails & { readonly personId: string };

const isWanted = (p: Placeholders<Wanted>) => sql`
  website.id = any(${p('weekly')}::uuid[] || ${p('monthly')}::uuid[] || ${p('alerts')}::uuid[])`;

/** A report that is on stays on since when it was. */
const sinceOf = (column: 'weekly_since' | 'monthly_since') => sql`
  ${sql.ref(column)} = case when excluded.${sql.ref(column)} is not null
    then coalesce(mail_subscription.${sql.ref(column)}, excluded.${sql.ref(column)}) end`;

const saveSubscriptions = statement(
  'save_mail_subscriptions',
  (p: Placeholders<Wanted & { readonly now: Date }>) => sql`
    insert into mail_subscription (account_id, person_id, website_number, weekly_since, monthly_since, alerts)
    select member.account_id, person_id, website.number,
      case when website.id = any(${p('weekly')}::uuid[]) then ${p('now')}::timestamptz end,
      case when website.id = any(${p('monthly')}::uuid[]) then ${p('now')}::timestamptz end,
      website.id = any(${p('alerts')}::uuid[])
    from member join website on website.account_id = member.account_id
    where person_id = ${p('personId')} and ${isWanted(p)}
      and (member.website_ids is null or website.id = any(member.website_ids))
    for key share
    on conflict (person_id, website_number) do update set account_id = excluded.account_id, alerts = excluded.alerts,
      ${sinceOf('weekly_since')}, ${sinceOf('monthly_since')}`,
);

const deleteOtherSubscriptions = statement(
  'delete_mail_subscriptions',
  (p: Placeholders<Wanted>) => sql`
    delete from mail_subscription where person_id = ${p('personId')}
      and website_number not in (select number from website where ${isWanted(p)})`,
);

/** Stores which mails members have turned on in PostgreSQL. */
export function createSubscriptionRepository(database: Database): SubscriptionRepository {
  const list = async (personId: string) =>
    isId(personId) ? (await database.query(listSubscriptions.with({ personId }))).rows : [];

  return {
    async list(personId) {
      return (await list(personId)).map(toSubscription);
    },

    async find(personId, websiteId) {
      const row = (await list(personId)).find((each) => each.websiteId === websiteId);
      if (row === undefined) return undefined;
      const { accountId, secondFactor } = row;
      const [[person], { rows }] = await Promise.all([
        database.read(findPerson.with({ id: personId })),
        database.query(findMember.with({ accountId, personId })),
      ]);
      const [member] = rows;
      return person && member && { ...toSubscription(row), secondFactor, person, member };
    },

    async save(personId, wanted, now) {
      if (!isId(personId)) return;
      const [weekly, monthly] = [wanted.weekly.filter(isId), wanted.monthly.filter(isId)];
      const given = { personId, weekly, monthly, alerts: wanted.alerts.filter(isId) };
      await database.transaction(async (transaction) => {
        await transaction.query(deleteOtherSubscriptions.with(given));
        await transaction.query(saveSubscriptions.with({ ...given, now }));
      });
    },
  };
}

function toSubscription({ websiteId, weekly, monthly, alerts }: Row): Subscription {
  return { websiteId, reportsSince: { weekly, monthly }, alerts };
}
