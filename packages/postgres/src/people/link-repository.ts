import { isId, isStorable } from '@hitherto/domain/base';
import {
  foldEmail,
  MAX_LINKS_AN_HOUR,
  type PersonLink,
  type PersonLinkRepository,
  personNotFound,
} from '@hitherto/domain/people';
import { sql } from 'kysely';
import { insertEntries, toAudited } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import { addMail } from '../queue/task-queue.ts';
import type { Seal } from '../seal.ts';

const HOUR_MS = 60 * 60 * 1000;

type LinkRow = PersonLink & { readonly key: string | null };

/** Links for the same person or address are made one after the other, so that they can be counted. */
const lockLinks = statement(
  'lock_person_links',
  (p: Placeholders<{ of: string }>) => sql`select pg_advisory_xact_lock(hashtextextended(${p('of')}, 0))`,
);

const insertLink = statement(
  'insert_person_link',
  (p: Placeholders<LinkRow & { readonly since: Date; readonly most: number }>) => sql`
    insert into person_link (token_hash, purpose, person_id, email, email_key, created_at, expires_at)
    select ${p('tokenHash')}, ${p('purpose')}, ${p('personId')}::uuid, ${p('email')}, ${p('key')}, ${p('createdAt')}::timestamptz,
      ${p('expiresAt')}::timestamptz
    where ${p('most')}::integer > (
      select count(*) from person_link
      where purpose = ${p('purpose')} and created_at > ${p('since')}::timestamptz
        and case when ${p('personId')}::uuid is null then email_key = ${p('key')} else person_id = ${p('personId')}::uuid end
    )`,
);

const deleteSignInLinks = statement(
  'delete_sign_in_links',
  (p: Placeholders<{ personId: string }>) => sql`
    delete from person_link where person_id = ${p('personId')} and purpose = 'sign_in'`,
);

const findLink = statement(
  'find_person_link',
  (p: Placeholders<{ tokenHash: string }>) => sql<PersonLink>`
    select token_hash as "tokenHash", purpose, person_id as "personId", email, created_at as "createdAt",
      expires_at as "expiresAt"
    from person_link where token_hash = ${p('tokenHash')}`,
);

const deleteLink = statement(
  'delete_person_link',
  (p: Placeholders<{ tokenHash: string }>) => sql`delete from person_link where token_hash = ${p('tokenHash')}`,
);

const deleteExpiredLinks = statement(
  'delete_expired_person_links',
  (p: Placeholders<{ now: Date }>) => sql`delete from person_link where expires_at <= ${p('now')}`,
);

/** Stores one-time links in PostgreSQL. */
export function createPersonLinkRepository(database: Database, seal: Seal): PersonLinkRepository {
  return {
    async insert(link, mail, changes = []) {
      const { purpose, personId, email, createdAt } = link;
      if (personId !== null && !isId(personId)) throw personNotFound();
      const key = email === null ? null : foldEmail(email);
      const since = new Date(createdAt.getTime() - HOUR_MS);
      const mailing = mail && addMail(mail, seal);
      try {
        return await database.transaction(async (transaction) => {
          await transaction.query(lockLinks.with({ of: personId ?? key ?? '' }));
          if (purpose === 'sign_in' && personId !== null) await transaction.query(deleteSignInLinks.with({ personId }));
          const inserting = insertLink.with({ ...link, key, since, most: MAX_LINKS_AN_HOUR });
          const isInserted = (await transaction.query(inserting)).count === 1;
          if (!isInserted) return false;
          if (mailing !== undefined) await transaction.query(mailing);
          for (const change of changes) await transaction.query(insertEntries.with(toAudited(change)));
          return true;
        });
      } catch (error) {
        if (classify(error).reason === 'foreign_key') throw personNotFound();
        throw error;
      }
    },

    async find(tokenHash) {
      if (!isStorable(tokenHash)) return undefined;
      return (await database.read(findLink.with({ tokenHash })))[0];
    },

    async delete(tokenHash) {
      return isStorable(tokenHash) && (await database.query(deleteLink.with({ tokenHash }))).count === 1;
    },

    async deleteExpired(now) {
      return (await database.query(deleteExpiredLinks.with({ now }))).count;
    },
  };
}
