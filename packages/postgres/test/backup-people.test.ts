import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { createDatabase, rowsOf, TEMPLATE } from '@hitherto/testing/databases';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { aMember, anInvitation, aPerson, aPersonLink } from '@hitherto/testing/people';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgres } from '../src/index.ts';

// People in a backup (people.md, "Commands").

async function open(key = 7) {
  const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const secretKey = () => new Uint8Array(32).fill(key);
  const ports = openPostgres({ connection: database.url, log: () => {}, secretKey });
  onTestFinished(async () => {
    await ports.close();
    await database.drop();
  });
  return { ports, url: database.url };
}

test.each([undefined, 'settings'] as const)(
  'a backup has people, members and invitations, no sessions and no links (%s)',
  async (only) => {
    const [{ ports, url }, restored] = [await open(), await open()];
    const account = anAccount({ id: newId(), name: 'Ægir 🦊' });
    await ports.access.insertAccount(account, UNRECORDED);
    const website = aWebsite({ id: newId() });
    await ports.websites.insert(account.id, website, UNRECORDED);
    const person = aPerson({ isVerified: true, name: 'é 🦊' });
    const [used, left] = [anInvitation({ accountId: account.id }), anInvitation({ accountId: account.id })];
    for (const each of [used, left]) await ports.people.insertInvitation(each, UNRECORDED);
    const member = aMember({ accountId: account.id, personId: person.id, role: 'owner' });
    await ports.people.acceptInvitation(used.tokenHash, person, member, UNRECORDED);
    await ports.subscriptions.save(person.id, { weekly: [website.id], monthly: [website.id], alerts: [] }, new Date());
    const link = aPersonLink({ email: person.email, createdAt: new Date() });
    const token = 'the token of the link';
    await ports.personLinks.insert(link, { id: newId(), at: new Date(), about: { kind: 'password_link' }, token });
    const session = { hash: 'a'.repeat(64), of: { personId: person.id }, browser: null, network: null };
    const times = { createdAt: new Date(), lastUsedAt: new Date(), expiresAt: new Date('2099-01-01') };
    await ports.sessions.insert({ ...session, ...times });

    await restored.ports.restore(ports.backup(only));

    const { people, subscriptions, sessions, personLinks } = restored.ports;
    expect(await people.find(person.id)).toStrictEqual(person);
    expect(await people.membershipsOf(person.id)).toStrictEqual([member]);
    expect(await people.listInvitations(account.id)).toStrictEqual([left]);
    expect(await subscriptions.list(person.id)).toStrictEqual(await ports.subscriptions.list(person.id));
    expect([await sessions.find(session.hash), await personLinks.find(link.tokenHash)]).toEqual([undefined, undefined]);
    for (const database of [url, restored.url]) {
      const rows = await rowsOf(database, 'select task::text from task');
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
    }
  },
);

test('a mail whose token was encrypted with another key has none', async () => {
  const [{ ports }, restored] = [await open(), await open(8)];
  await ports.access.insertAccount(anAccount({ id: newId() }), UNRECORDED);
  const mail = { id: newId(), at: new Date(), about: { kind: 'password_link' }, token: 'x' } as const;
  await ports.personLinks.insert(aPersonLink(), mail);
  await restored.ports.restore(ports.backup());

  const claimed = await restored.ports.tasks.claim('mail', new Date('2099-01-01'), new Date('2099-01-02'));
  expect(claimed).toMatchObject({ key: mail.id, token: undefined });
});
