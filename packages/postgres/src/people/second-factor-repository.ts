import { isId, isStorable } from '@hitherto/domain/base';
import type { SecondFactor, SecondFactorRepository } from '@hitherto/domain/people';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import { changeWithMail } from '../queue/task-queue.ts';
import type { Seal } from '../seal.ts';
import { endingSessions } from './session-statements.ts';

type OfPerson = { readonly personId: string };

interface NewRow extends OfPerson {
  readonly sealedSecret: Buffer;
  readonly step: number;
  readonly since: Date;
  readonly recoveryHashes: readonly string[];
  readonly kept: string;
}

const findSecondFactor = statement(
  'find_second_factor',
  (p: Placeholders<OfPerson>) => sql<Omit<SecondFactor, 'secret'> & { readonly sealedSecret: Buffer }>`
    select sealed_secret as "sealedSecret", since, cardinality(recovery_hashes) as "codesLeft"
    from second_factor where person_id = ${p('personId')}`,
);

const turnOn = statement(
  'turn_on_second_factor',
  (p: Placeholders<NewRow>) => sql`
    with added as (
      insert into second_factor (person_id, sealed_secret, step, recovery_hashes, since)
      select id, ${p('sealedSecret')}, ${p('step')}, ${p('recoveryHashes')}, ${p('since')}
      from person where id = ${p('personId')} for key share
      on conflict do nothing returning person_id as id
    ), ${endingSessions(sql`select id from added`, p('kept'))}
    select from added`,
);

const turnOff = statement(
  'turn_off_second_factor',
  (p: Placeholders<OfPerson & { readonly kept: string }>) => sql`
    with removed as (
      delete from second_factor where person_id = ${p('personId')} returning person_id as id
    ), ${endingSessions(sql`select id from removed`, p('kept'))}
    select from removed`,
);

const useStep = statement(
  'use_step_of_second_factor',
  (p: Placeholders<OfPerson & { readonly step: number }>) => sql`
    update second_factor set step = ${p('step')}::bigint
    where person_id = ${p('personId')} and step < ${p('step')}::bigint`,
);

const useRecoveryCode = statement(
  'use_recovery_code',
  (p: Placeholders<OfPerson & { readonly hash: string }>) => sql`
    update second_factor set recovery_hashes = array_remove(recovery_hashes, ${p('hash')}::text)
    where person_id = ${p('personId')} and ${p('hash')}::text = any (recovery_hashes)`,
);

const replaceRecoveryCodes = statement(
  'replace_recovery_codes',
  (p: Placeholders<OfPerson & { readonly hashes: readonly string[] }>) => sql`
    update second_factor set recovery_hashes = ${p('hashes')} where person_id = ${p('personId')}`,
);

/** Stores second factors in PostgreSQL; secrets are encrypted. */
export function createSecondFactorRepository(database: Database, seal: Seal): SecondFactorRepository {
  const placeOf = (personId: string) => `${personId} second factor`;

  return {
    async find(personId) {
      if (!isId(personId)) return undefined;
      const [row] = await database.read(findSecondFactor.with({ personId }));
      if (row === undefined) return undefined;
      const { sealedSecret, ...rest } = row;
      return { ...rest, secret: seal.open(sealedSecret, placeOf(personId)) };
    },

    async turnOn({ personId, secret, step, since }, recoveryHashes, kept, notice) {
      if (!isId(personId)) return false;
      const sealedSecret = seal.seal(secret, placeOf(personId));
      const row = { personId, sealedSecret, step, since, recoveryHashes, kept };
      return changeWithMail(database, turnOn.with(row), notice, seal);
    },

    async turnOff(personId, kept = '', notice = undefined) {
      return isId(personId) && changeWithMail(database, turnOff.with({ personId, kept }), notice, seal);
    },

    async useStep(personId, step) {
      return isId(personId) && (await database.query(useStep.with({ personId, step }))).count === 1;
    },

    async useRecoveryCode(personId, hash) {
      if (!isId(personId) || !isStorable(hash)) return false;
      return (await database.query(useRecoveryCode.with({ personId, hash }))).count === 1;
    },

    async replaceRecoveryCodes(personId, hashes) {
      return isId(personId) && (await database.query(replaceRecoveryCodes.with({ personId, hashes }))).count === 1;
    },
  };
}
