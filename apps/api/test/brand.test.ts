import { randomBytes } from 'node:crypto';
import { issueKey, type Role } from '@hitherto/domain/access';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { AN_SVG, aPng } from '@hitherto/testing/pictures';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// sharing.md, "Your own look".

const BRAND = '/api/v1/brand';
const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');

let api: Api;
let repositories: ReturnType<typeof createInMemoryRepositories>;
beforeEach(async () => {
  repositories = createInMemoryRepositories();
  api = await startApi({ repositories });
});

/** The text of a key of a new member. */
async function keyOf(role: Role): Promise<string> {
  const person = aPerson({ id: newId(), email: `${role}@example.com` });
  const invitation = anInvitation({ id: newId(), accountId: api.accountId, email: person.email, tokenHash: role });
  await repositories.people.insertInvitation(invitation, UNRECORDED);
  const member = aMember({ accountId: api.accountId, personId: person.id, role });
  await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
  const deps = { ...repositories, now: api.clock.now, newId, randomBytes, author: COMMAND_LINE };
  return (await issueKey(deps, api.accountId, { member })).text;
}

const change = (json: object, headers: Readonly<Record<string, string>> = {}) =>
  api.send('PATCH', BRAND, { json, headers });

describe('the look of the account', () => {
  test('is none at first', async () => {
    expect((await api.send('GET', BRAND)).json()).toEqual({ data: { name: null, accent: null, logo: null } });
  });

  test('changes by the fields that are sent', async () => {
    const first = await change({ name: ' Ægir & Söhne 🦊 ', accent: '#8B0000', logo: base64(aPng()) });
    const second = await change({ accent: null });

    const logo = expect.stringMatching(/^\/brand\/[\da-f]{32}\.png$/);
    expect([first.status, first.json()]).toEqual([200, { data: { name: 'Ægir & Söhne 🦊', accent: '#8b0000', logo } }]);
    expect(second.json()).toEqual({ data: { name: 'Ægir & Söhne 🦊', accent: null, logo } });
    expect((await api.send('GET', BRAND)).json()).toEqual(second.json());
    expect((await change({ logo: null, name: '' })).json()).toEqual({ data: { name: null, accent: null, logo: null } });
  });

  test('is in the audit trail', async () => {
    await change({ name: 'Agency', logo: base64(AN_SVG) });

    const { data } = (await api.send('GET', '/api/v1/audit')).json<{ data: { action: string }[] }>();
    expect(data[0]).toMatchObject({ action: 'account.updated' });
  });

  test.each([
    [{ name: 'x'.repeat(101) }, 'name', 'not_allowed'],
    [{ name: 7 }, 'name', 'invalid_type'],
    [{ accent: 'red' }, 'accent', 'not_allowed'],
    [{ accent: '#ffff00' }, 'accent', 'not_allowed'],
    [{ logo: 'é' }, 'logo', 'not_allowed'],
    [{ logo: base64('no picture') }, 'logo', 'not_allowed'],
    [{ logo: base64(AN_SVG.replace('<rect', '<script/><rect')) }, 'logo', 'not_allowed'],
    [{ logo: base64(new Uint8Array(51_201)) }, 'logo', 'too_long'],
    [{ colour: '#8b0000' }, 'colour', 'unknown'],
  ])('%#. with a fault changes nothing', async (sent, field, code) => {
    const response = await change({ name: 'Agency', ...sent });

    expect([response.status, response.json()]).toEqual([
      422,
      expect.objectContaining({ errors: [expect.objectContaining({ field, code })] }),
    ]);
    expect((await api.send('GET', BRAND)).json()).toMatchObject({ data: { name: null } });
  });

  test('is changed by keys that write to all websites, and of members by owners alone', async () => {
    const { id } = await api.createWebsite();
    const limited = await api.issue(api.accountId, { websiteIds: [id] });
    const reading = await api.issue(api.accountId, { scope: 'read' });
    const statusOf = async ({ text }: { readonly text: string }, method: string) =>
      (await api.send(method, BRAND, { json: method === 'GET' ? undefined : {}, key: text })).status;

    expect([await statusOf(limited, 'GET'), await statusOf(limited, 'PATCH')]).toEqual([200, 403]);
    expect([await statusOf(reading, 'GET'), await statusOf(reading, 'PATCH')]).toEqual([200, 403]);
    for (const [role, status] of [
      ['viewer', 403],
      ['editor', 403],
      ['owner', 200],
    ] as const) {
      const key = await keyOf(role);
      expect([role, await statusOf({ text: key }, 'PATCH')]).toEqual([role, status]);
    }
  });
});
