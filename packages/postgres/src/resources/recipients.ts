import { isId } from '@hitherto/domain/base';
import { foldEmail } from '@hitherto/domain/people';
import {
  ASKED_MS,
  MAX_RECIPIENTS,
  type Recipient,
  type RecipientRepository,
  recipientTaken,
  tooManyRecipients,
} from '@hitherto/domain/recipients';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { auditing, toAudited } from '../changes.ts';
import { build, type Placeholders, statement } from '../connection/statement.ts';
import { toWebsite, WEBSITE_COLUMNS } from '../websites/website-row.ts';
import { createOwned, type OwnedDependencies } from './owned.ts';

/** A recipient with its website. */
const findById = statement('find_recipient_by_id', (p: Placeholders<{ readonly id: string }>) =>
  build
    .with('found', (found) =>
      found
        .selectFrom('recipient')
        .select([
          'website_number',
          'id as recipient_id',
          'email as recipient_email',
          'asked_at as recipient_asked_at',
          'confirmed_at as recipient_confirmed_at',
          'created_at as recipient_created_at',
        ])
        .where('id', '=', p('id')),
    )
    .selectFrom('website')
    .innerJoin('found', 'found.website_number', 'website.number')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .select([
      'recipient_id',
      'recipient_email',
      'recipient_asked_at',
      'recipient_confirmed_at',
      'recipient_created_at',
    ]),
);

const confirm = statement('confirm_recipient', (p: Placeholders<{ id: string; now: Date; audited: string }>) =>
  auditing(
    sql`update recipient set confirmed_at = ${p('now')}::timestamptz where id = ${p('id')} and confirmed_at is null`,
    p('audited'),
  ),
);

/** How many addresses one statement asks. */
const ASKED_AT_ONCE = 1_000;

/** An address that another statement asks at the same time is not claimed. */
const ask = statement(
  'ask_recipients',
  (p: Placeholders<{ now: Date; before: Date; limit: number }>) => sql`
    with due as (
      select distinct on (email_key) number, id, email_key from recipient
      where asked_at is null and confirmed_at is null and not exists (
        select from asked_address
        where asked_address.email_key = recipient.email_key and asked_address.at > ${p('before')}::timestamptz)
      order by email_key, number limit ${p('limit')}
    ), claimed as (
      insert into asked_address (email_key, at) select email_key, ${p('now')}::timestamptz from due
      on conflict (email_key) do update set at = excluded.at where asked_address.at <= ${p('before')}::timestamptz
      returning email_key
    ), asked as (
      update recipient set asked_at = ${p('now')}::timestamptz from due join claimed using (email_key)
      where recipient.number = due.number and recipient.asked_at is null
      returning recipient.id
    )
    insert into task (kind, key, state, failures, due_at, payload)
    select 'mail', gen_random_uuid()::text, 'waiting', 0, ${p('now')}::timestamptz,
      json_build_object('at', ${p('now')}::timestamptz, 'about', json_build_object('kind', 'recipient', 'recipientId', id))
    from asked`,
);

const forgetAsked = statement(
  'forget_asked_addresses',
  (p: Placeholders<{ time: Date }>) => sql`delete from asked_address where at < ${p('time')}::timestamptz`,
);

/** Stores recipients of reports in PostgreSQL. */
export function createRecipientRepository(deps: OwnedDependencies): RecipientRepository {
  const { database } = deps;
  const owned = createOwned<WebsiteKey, Recipient>(deps, {
    name: 'recipient',
    owner: 'website',
    columns: {
      email: ['email', 'text'],
      askedAt: ['asked_at', 'timestamptz'],
      confirmedAt: ['confirmed_at', 'timestamptz'],
    },
    inserting: (p) => ({ email_key: p('emailKey') }),
    limit: MAX_RECIPIENTS,
    tooMany: tooManyRecipients,
    conflict: async (constraint) => (constraint === 'recipient_taken' ? recipientTaken() : undefined),
    toValues: (recipient) => ({ ...recipient, emailKey: foldEmail(recipient.email) }),
    toResource: (row) => row,
  });
  return {
    ...owned,

    async findById(id) {
      if (!isId(id)) return undefined;
      const [row] = await database.read(findById.with({ id }));
      if (row === undefined) return undefined;
      const recipient = {
        id: row.recipient_id,
        email: row.recipient_email,
        askedAt: row.recipient_asked_at,
        confirmedAt: row.recipient_confirmed_at,
        createdAt: row.recipient_created_at,
      };
      return { accountId: row.account_id, website: toWebsite(row), recipient };
    },

    async confirm(id, now, change) {
      return isId(id) && (await database.query(confirm.with({ id, now, ...toAudited(change) }))).count === 1;
    },

    async ask(now) {
      const before = new Date(now.getTime() - ASKED_MS);
      return (await database.query(ask.with({ now, before, limit: ASKED_AT_ONCE }))).count;
    },

    async forgetAsked(time) {
      await database.query(forgetAsked.with({ time }));
    },
  };
}
