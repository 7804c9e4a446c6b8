import { randomBytes } from 'node:crypto';
import {
  authenticate,
  type Grant,
  issueKey,
  ROLES,
  revokeKey,
  type Viewer,
  viewerOfKey,
} from '@hitherto/domain/access';
import { DomainError } from '@hitherto/domain/base';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import {
  changeMember,
  deletePerson,
  findSession,
  removeMember,
  SESSION_MS,
  startSession,
  viewersOf,
} from '@hitherto/domain/people';
import { deleteWebsite, moveWebsite, wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { type Random, randomOf } from '@hitherto/testing/random';
import { runs } from '@hitherto/testing/runs';
import { afterAll, expect, inject, test } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';

// Random histories of invitations, roles, removals, keys and moves on two instances of one database, next to a naive model.

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const open = () =>
  openPostgres({ connection: database.url, log: () => {}, secretKey: () => new Uint8Array(32).fill(7) });
const instances: readonly [PostgresRepositories, PostgresRepositories] = [open(), open()];
afterAll(async () => {
  for (const instance of instances) await instance.close();
  await database.drop();
});

const STEPS = 12;
const now = () => new Date();
const depsOf = (instance: PostgresRepositories) => ({ ...instance, now, newId, randomBytes, author: COMMAND_LINE });

interface ModelKey {
  readonly id: string;
  readonly text: string;
  readonly account: string;
  readonly person: string | null;
  readonly scope: 'read' | 'write';
  limit: string[] | null;
}

/** What there is, in lists. */
interface Model {
  /** The account of each website. */
  readonly websites: Map<string, string>;
  members: { account: string; person: string; role: Grant['role']; websites: string[] | null }[];
  keys: ModelKey[];
  /** The cookie of each person. */
  readonly people: Map<string, string>;
}

/** What somebody may do and reach in an account, as text. */
const told = (account: string, role: string, scope: string, websites: readonly string[]) =>
  `${account} ${role} ${scope} ${[...websites].sort().join(' ')}`;

function rightsIn(model: Model): Map<string, string[]> {
  const reached = (account: string, lists: (string[] | null)[]) =>
    [...model.websites]
      .filter(([id, of]) => of === account && lists.every((list) => list?.includes(id) ?? true))
      .map(([id]) => id);
  const rights = new Map<string, string[]>();
  for (const person of model.people.keys()) {
    const own = model.members.filter((member) => member.person === person);
    rights.set(
      person,
      own.map(({ account, role, websites }) => told(account, role, 'write', reached(account, [websites]))).sort(),
    );
  }
  for (const { id, account, person, scope, limit } of model.keys) {
    const member = model.members.find((each) => each.account === account && each.person === person);
    const lists = [limit, ...(member === undefined ? [] : [member.websites])];
    const role = member?.role === 'viewer' ? 'viewer' : 'editor';
    rights.set(id, [told(account, role, role === 'viewer' ? 'read' : scope, reached(account, lists))]);
  }
  return rights;
}

/** The same, as an instance says it. */
async function rightsOn(instance: PostgresRepositories, model: Model): Promise<Map<string, string[]>> {
  const tell = async (viewer: Viewer) => {
    const { websites, total } = await instance.websites.list(viewer, { order: 'address_asc' }, 100);
    expect(total).toBe(websites.length);
    return told(
      viewer.accountId,
      viewer.role,
      viewer.scope,
      websites.map(({ id }) => id),
    );
  };
  const rights = new Map<string, string[]>();
  for (const [person, cookie] of model.people) {
    const signedIn = await findSession(depsOf(instance), cookie);
    rights.set(person, (await Promise.all(viewersOf(signedIn ?? expect.fail('not signed in')).map(tell))).sort());
  }
  for (const { id, text } of model.keys) {
    const key = await authenticate(depsOf(instance), text);
    rights.set(id, [await tell(viewerOfKey(key ?? expect.fail('no key')))]);
  }
  return rights;
}

/** Whether the account loses its last owner without this membership. */
const isLastOwner = ({ members }: Model, account: string, person: string) => {
  const owners = members.filter((each) => each.account === account && each.role === 'owner');
  return owners.length === 1 && owners[0]?.person === person;
};

async function play(random: Random, run: string): Promise<void> {
  const accounts = [newId(), newId()] as const;
  const [first] = instances;
  for (const id of accounts) await first.access.insertAccount(anAccount({ id, name: id }), UNRECORDED);
  const model: Model = { websites: new Map(), members: [], keys: [], people: new Map() };
  const ids = Array.from({ length: 4 }, () => newId());
  for (const [place, id] of ids.entries()) {
    const account = accounts[place % 2] ?? accounts[0];
    const website = aWebsite({ id, url: `https://${id}.example`, aliases: [] });
    await first.websites.insert(account, website, UNRECORDED);
    model.websites.set(id, account);
  }
  const persons = Array.from({ length: 3 }, () => aPerson());

  const some = (account: string) => {
    const own = [...model.websites].filter(([, of]) => of === account).map(([id]) => id);
    return own.filter(() => random.next() < 0.5);
  };
  const grantOf = (account: string): Grant => {
    const role = random.pick(ROLES);
    const list = some(account);
    return { role, websiteIds: role === 'owner' || list.length === 0 ? null : list };
  };
  /** Runs a step, which fails exactly if the model says so. */
  const expectLastOwner = async (isLast: boolean, work: () => Promise<unknown>, apply: () => void) => {
    const failed = await work().then(
      () => undefined,
      (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
    );
    expect([run, failed]).toEqual([run, isLast ? 'last_owner' : undefined]);
    if (!isLast) apply();
  };
  const leave = (account: string, person: string) => {
    model.members = model.members.filter((each) => each.account !== account || each.person !== person);
    model.keys = model.keys.filter((key) => key.account !== account || key.person !== person);
  };

  const steps: Readonly<Record<string, (instance: PostgresRepositories) => Promise<void>>> = {
    async join(instance) {
      const [account, person] = [random.pick(accounts), random.pick([persons[0] ?? aPerson(), ...persons.slice(1)])];
      const { role, websiteIds } = grantOf(account);
      const invitation = anInvitation({ accountId: account, email: person.email, role, websiteIds });
      await instance.people.insertInvitation(invitation, UNRECORDED);
      const member = aMember({ accountId: account, personId: person.id, role, websiteIds, updatedAt: now() });
      await instance.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
      if (!model.people.has(person.id)) {
        const browser = { browser: null, network: null };
        model.people.set(person.id, await startSession(depsOf(instance), { personId: person.id }, browser, SESSION_MS));
      }
      const known = model.members.find((each) => each.account === account && each.person === person.id);
      const list = websiteIds && [...websiteIds];
      if (known === undefined) model.members.push({ account, person: person.id, role, websites: list });
      else {
        if (ROLES.indexOf(role) > ROLES.indexOf(known.role)) known.role = role;
        const isWide = known.role === 'owner' || known.websites === null || list === null;
        known.websites = isWide ? null : [...(known.websites ?? []), ...list];
      }
    },
    async change(instance) {
      const [known] = pickOf(random, model.members);
      if (known === undefined) return;
      const { account, person } = known;
      const { role, websiteIds } = grantOf(account);
      const isLast = role !== 'owner' && isLastOwner(model, account, person);
      const changing = () => changeMember(depsOf(instance), account, person, { role, websiteIds });
      await expectLastOwner(isLast, changing, () =>
        Object.assign(known, { role, websites: websiteIds && [...websiteIds] }),
      );
    },
    async remove(instance) {
      const [known] = pickOf(random, model.members);
      if (known === undefined) return;
      const { account, person } = known;
      const removing = () => removeMember(depsOf(instance), account, person);
      await expectLastOwner(isLastOwner(model, account, person), removing, () => leave(account, person));
    },
    async deletePerson(instance) {
      const [person] = pickOf(random, [...model.people.keys()]);
      if (person === undefined || random.next() < 0.7) return;
      const isLast = accounts.some((account) => isLastOwner(model, account, person));
      await expectLastOwner(
        isLast,
        () => deletePerson(depsOf(instance), person),
        () => {
          for (const account of accounts) leave(account, person);
          model.people.delete(person);
        },
      );
    },
    /** Two owners demote each other at once, each on an instance: one stays. */
    async demoteEachOther() {
      const account = random.pick(accounts);
      const owners = model.members.filter((each) => each.account === account && each.role === 'owner');
      if (owners.length !== 2) return;
      const results = await Promise.allSettled(
        owners.map(({ person }, place) =>
          changeMember(depsOf(instances[place] ?? first), account, person, { role: 'viewer', websiteIds: null }),
        ),
      );
      expect([run, results.map(({ status }) => status).sort()]).toEqual([run, ['fulfilled', 'rejected']]);
      for (const [place, { status }] of results.entries()) {
        const demoted = owners[place];
        if (status === 'fulfilled' && demoted !== undefined) demoted.role = 'viewer';
      }
    },
    async addKey(instance) {
      const [member] = random.next() < 0.7 ? pickOf(random, model.members) : [];
      const account = member?.account ?? random.pick(accounts);
      const reached = some(account).filter((id) => member?.websites?.includes(id) ?? true);
      const scope = member?.role === 'viewer' ? 'read' : random.pick(['read', 'write'] as const);
      const { text, key } = await issueKey(depsOf(instance), account, {
        scope,
        ...(reached.length > 0 && { websiteIds: reached }),
        ...(member && { member: { personId: member.person, role: member.role, websiteIds: member.websites } }),
      });
      const limit = reached.length > 0 ? reached : null;
      model.keys.push({ id: key.id, text, account, person: member?.person ?? null, scope, limit });
    },
    async revokeKey(instance) {
      const [key] = pickOf(random, model.keys);
      if (key === undefined) return;
      await revokeKey(depsOf(instance), key.id);
      expect(await authenticate(depsOf(instance), key.text)).toBeUndefined();
      model.keys = model.keys.filter((each) => each !== key);
    },
    async deleteWebsite(instance) {
      const [found] = pickOf(random, [...model.websites]);
      if (found === undefined || random.next() < 0.6) return;
      await deleteWebsite(depsOf(instance), wholeAccount(found[1]), found[0]);
      model.websites.delete(found[0]);
    },
    async moveWebsite(instance) {
      const [found] = pickOf(random, [...model.websites]);
      if (found === undefined) return;
      const [id, from] = found;
      const to = accounts.find((account) => account !== from) ?? from;
      await moveWebsite(depsOf(instance), wholeAccount(from), id, to);
      model.websites.set(id, to);
      const without = (list: string[] | null) => (list === null ? null : list.filter((each) => each !== id));
      for (const member of model.members) if (member.account === from) member.websites = without(member.websites);
      for (const key of model.keys) if (key.account === from) key.limit = without(key.limit);
    },
  };

  const names = ['join', 'join', 'join', ...Object.keys(steps)] as [string, ...string[]];
  for (let step = 0; step < STEPS; step += 1) {
    const name = step < 3 ? 'join' : random.pick(names);
    await steps[name]?.(random.pick([instances[0], instances[1]]));
    for (const [place, instance] of instances.entries()) {
      expect([run, step, name, place, await rightsOn(instance, model)]).toEqual([
        run,
        step,
        name,
        place,
        rightsIn(model),
      ]);
    }
  }
}

/** One of these, or none of none. */
function pickOf<T>(random: Random, from: readonly T[]): readonly [T?] {
  const [one, ...others] = from;
  return one === undefined ? [] : [random.pick([one, ...others])];
}

test('rights are those of the model at every step, on both instances', async () => {
  const seed = process.env.FUZZ_SEED ?? String(Date.now());
  console.log(`FUZZ_SEED=${seed}`);
  for (let trial = 0; trial < runs(5, 500); trial += 1) await play(randomOf(seed, 'rights', trial), `${seed} ${trial}`);
}, 900_000);
