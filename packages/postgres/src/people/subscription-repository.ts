import { isId } from '@hitherto/domain/base';
import type { Subscriber, Subscription, SubscriptionRepository } from '@hitherto/domain/people';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import { findMember, findPerson } from './people-statements.ts';
import { secondFactorOf } from './session-statements.ts';

type Row = Subscription & Pick<Subscriber, 'secondFactor'> & { readonly accountId: string };

/** Of websites that are still in the account; they can move to another. */
const listSubscriptions = statement(
  'list_mail_subscriptions',
  (p: Placeholders<{ personId: string }>) => sql<Row>`
    select website.id as "websiteId", website.account_id as "accountId", reports_since as "reportsSince", alerts,
      ${secondFactorOf(sql`mail_subscription.person_id`)} as "secondFactor"
    from mail_subscription
      join website on website.number = website_number and website.account_id = mail_subscription.account_id
    where person_id = ${p('personId')} order by website.id`,
);

type Wanted = { readonly personId: string; readonly reports: readonly string[]; readonly alerts: readonly string[] };

const isWanted = (p: Placeholders<Wanted>) => sql`
  (website.id = any(${p('reports')}::uuid[]) or website.id = any(${p('alerts')}::uuid[]))`;

const saveSubscriptions = statement(
  'save_mail_subscriptions',
  (p: Placeholders<Wanted & { readonly now: Date }>) => sql`
    insert into mail_subscription (account_id, person_id, website_number, reports_since, alerts)
    select member.account_id, person_id, website.number,
      case when website.id = any(${p('reports')}::uuid[]) then ${p('now')}::timestamptz end,
      website.id = any(${p('alerts')}::uuid[])
    from member join website on website.account_id = member.account_id
    where person_id = ${p('personId')} and ${isWanted(p)}
      and (member.website_ids is null or website.id = any(member.website_ids))
    on conflict (person_id, website_number) do update set account_id = excluded.account_id, alerts = excluded.alerts,
      reports_since = case
        when excluded.reports_since is not null
        then coalesce(mail_subscription.reports_since, excluded.reports_since)
      end`,
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
      return (await list(personId)).map(({ accountId: _, secondFactor: __, ...subscription }) => subscription);
    },

    async find(personId, websiteId) {
      const row = (await list(personId)).find((each) => each.websiteId === websiteId);
      if (row === undefined) return undefined;
      const { accountId, ...subscription } = row;
      const [[person], { rows }] = await Promise.all([
        database.read(findPerson.with({ id: personId })),
        database.query(findMember.with({ accountId, personId })),
      ]);
      const [member] = rows;
      return person && member && { ...subscription, person, member };
    },

    async save(personId, wanted, now) {
      if (!isId(personId)) return;
      const [reports, alerts] = [wanted.reports.filter(isId), wanted.alerts.filter(isId)];
      await database.transaction(async (transaction) => {
        await transaction.query(deleteOtherSubscriptions.with({ personId, reports, alerts }));
        await transaction.query(saveSubscriptions.with({ personId, reports, alerts, now }));
      });
    },
  };
}
