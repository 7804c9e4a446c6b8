import { isId, isStorable } from '@hitherto/domain/base';
import { MAX_PASSKEYS, type Passkey, type PasskeyRepository } from '@hitherto/domain/people';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import { addMail, changeWithMail } from '../queue/task-queue.ts';
import type { Seal } from '../seal.ts';

type Row = Omit<Passkey, 'publicKey'> & { readonly publicKey: Buffer };

const PASSKEY = sql`
  id, person_id as "personId", name, public_key as "publicKey", counter::float as counter, created_at as "createdAt"`;

const listPasskeys = statement(
  'list_passkeys',
  (p: Placeholders<{ personId: string }>) => sql<Row>`
    select ${PASSKEY} from passkey where person_id = ${p('personId')} order by created_at, id`,
);

const findPasskey = statement(
  'find_passkey',
  (p: Placeholders<{ id: string }>) => sql<Row>`select ${PASSKEY} from passkey where id = ${p('id')}`,
);

/** Passkeys of a person are added one after the other, so that two at once do not exceed the most that there are. */
const lockSecondFactor = statement(
  'lock_second_factor',
  (p: Placeholders<{ personId: string }>) => sql`
    select from second_factor where person_id = ${p('personId')} for update`,
);

const insertPasskey = statement(
  'insert_passkey',
  (p: Placeholders<Row>) => sql`
    insert into passkey (id, person_id, name, public_key, counter, created_at)
    select ${p('id')}, person_id, ${p('name')}, ${p('publicKey')}, ${p('counter')}, ${p('createdAt')}
    from second_factor where person_id = ${p('personId')} and (select count(*) from passkey where person_id = ${p('personId')}) < ${sql.lit(MAX_PASSKEYS)}
    on conflict do nothing`,
);

const usePasskey = statement(
  'use_passkey',
  (p: Placeholders<{ id: string; counter: number }>) => sql`
    update passkey set counter = ${p('counter')}::bigint
    where id = ${p('id')} and (${p('counter')}::bigint = 0 or counter < ${p('counter')}::bigint)`,
);

const deletePasskey = statement(
  'delete_passkey',
  (p: Placeholders<{ personId: string; id: string }>) => sql`
    delete from passkey where person_id = ${p('personId')} and id = ${p('id')}`,
);

/** Stores passkeys in PostgreSQL. */
export function createPasskeyRepository(database: Database, seal: Seal): PasskeyRepository {
  return {
    async list(personId) {
      return isId(personId) ? (await database.query(listPasskeys.with({ personId }))).rows.map(toPasskey) : [];
    },

    async find(id) {
      if (!isStorable(id)) return undefined;
      const [row] = await database.read(findPasskey.with({ id }));
      return row && toPasskey(row);
    },

    async insert({ publicKey, ...passkey }, notice) {
      if (!isId(passkey.personId)) return false;
      const row = { ...passkey, publicKey: Buffer.from(publicKey) };
      return database.transaction(async (transaction) => {
        await transaction.query(lockSecondFactor.with({ personId: row.personId }));
        if ((await transaction.query(insertPasskey.with(row))).count !== 1) return false;
        if (notice !== undefined) await transaction.query(addMail(notice, seal));
        return true;
      });
    },

    async use(id, counter) {
      return isStorable(id) && (await database.query(usePasskey.with({ id, counter }))).count === 1;
    },

    async delete(personId, id, notice) {
      if (!isId(personId) || !isStorable(id)) return false;
      return changeWithMail(database, deletePasskey.with({ personId, id }), notice, seal);
    },
  };
}

function toPasskey({ publicKey, ...row }: Row): Passkey {
  return { ...row, publicKey: Uint8Array.from(publicKey) };
}
