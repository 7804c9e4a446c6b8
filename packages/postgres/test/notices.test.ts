import { addAccount } from '@hitherto/contracts/support/repositories';
import { UNRECORDED } from '@hitherto/domain/changes';
import { makeNotice, type PersonMail } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { createDatabase, run, TEMPLATE } from '@hitherto/testing/databases';
import { aMember, anApp, aPerson } from '@hitherto/testing/people';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { openPostgres } from '../src/index.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const repositories = openPostgres({
  connection: database.url,
  log: () => {},
  secretKey: () => new Uint8Array(32).fill(7),
});

afterAll(async () => {
  await repositories.close();
  await database.drop();
});

describe('a change of which a person is told by mail', () => {
  test('is not made if its mail cannot be recorded', async () => {
    const { people, secondFactors, passkeys } = repositories;
    const accountId = await addAccount(repositories);
    const [person, other] = [aPerson(), aPerson()];
    for (const each of [person, other]) {
      await people.addMember(each, aMember({ accountId, personId: each.id }), UNRECORDED);
    }
    await secondFactors.turnOn(anApp({ personId: person.id }), [], '');
    const passkey = { id: newId(), personId: person.id, name: 'é', publicKey: Uint8Array.of(1), counter: 0 };
    await passkeys.insert({ ...passkey, createdAt: new Date() });
    await run(database.url, "alter table task add constraint no_mails check (kind <> 'mail')");
    const changed = { ...person, name: 'other', updatedAt: new Date(person.updatedAt.getTime() + 1) };
    const changes: ((notice: PersonMail) => Promise<unknown>)[] = [
      (notice) => people.replace(changed, person.updatedAt, { kept: '' }, notice),
      (notice) => secondFactors.turnOn(anApp({ personId: other.id }), [], '', notice),
      (notice) => secondFactors.turnOff(person.id, '', notice),
      (notice) => passkeys.insert({ ...passkey, id: newId(), createdAt: new Date() }, notice),
      (notice) => passkeys.delete(person.id, passkey.id, notice),
      (notice) => people.deleteMember(accountId, other.id, UNRECORDED, notice),
    ];

    for (const change of changes) {
      const notice = makeNotice({ now: () => new Date(), newId }, person.id, { kind: 'password_changed' });
      await expect(change(notice)).rejects.toThrow();
    }

    expect(await people.find(person.id)).toStrictEqual(person);
    expect(await secondFactors.find(other.id)).toBeUndefined();
    expect(await secondFactors.find(person.id)).toBeDefined();
    expect((await passkeys.list(person.id)).map(({ id }) => id)).toEqual([passkey.id]);
    expect(await people.listMembers(accountId)).toHaveLength(2);
  });
});
