import { randomBytes } from 'node:crypto';
import { type Grant, ROLES, type Role } from '@hitherto/domain/access';
import { DomainError } from '@hitherto/domain/base';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import {
  changeMember,
  enterThroughProvider,
  type GroupRule,
  type ProviderIdentity,
  removeMember,
} from '@hitherto/domain/people';
import { newId, now } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { aWebsite } from '@hitherto/testing/fixtures';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { runs } from '@hitherto/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addAccount, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

const PEOPLE = 3;
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const GROUPS = ['owners', 'deputies', 'clients', 'editors'] as const;

type Group = (typeof GROUPS)[number];
type Where = 'first' | 'second';
type Step = { readonly person: number } & (
  | { readonly groups: readonly Group[] }
  | { readonly where: Where; readonly role: Role }
  | { readonly where: Where; readonly isRemoved: true }
);
type Membership = Grant & { readonly isByGroup: boolean };

/** Memberships by group, next to a naive model: sign-ins through a provider, between additions, changes and removals by hand. */
export function groupMembershipsContract(makeRepositories: MakeRepositories): void {
  const person = fc.nat({ max: PEOPLE - 1 });
  const where = fc.constantFrom<Where>('first', 'second');
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ person, groups: fc.subarray([...GROUPS]) }) },
    { weight: 1, arbitrary: fc.record({ person, where, role: fc.constantFrom(...ROLES) }) },
    { weight: 1, arbitrary: fc.record({ person, where, isRemoved: fc.constant(true) }) },
  );

  it('are what the groups say, but for those by hand and the last owner', async () => {
    const repositories = await makeRepositories();
    const history = fc.array(step, { minLength: 1, maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const [system, model] = [await startSystem(repositories), startModel()];
        for (const each of steps) {
          await system.take(each);
          model.take(each);
          expect(await system.members()).toEqual(model.members());
        }
      }),
      { seed, numRuns: runs(20, 500) },
    );
  }, 120_000);

  describe.each([
    ['a group', async () => ({})],
    ['an invitation', async ({ invite }: System) => ({ groups: [], email: await invite() })],
    ['their address', async ({ addPerson }: System) => ({ groups: [], email: await addPerson() })],
  ])('of first sign-ins at once by %s', (_name, identityOf) => {
    it('all are let in as one person', async () => {
      const system = await startSystem(await makeRepositories());

      const entered = await system.enterAtOnce(await identityOf(system));

      const ids = fulfilled(entered).map((each) => each?.person.id);
      expect(ids).toHaveLength(5);
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toBeDefined();
    });
  });
}

type System = Awaited<ReturnType<typeof startSystem>>;

async function startSystem(repositories: TestRepositories) {
  const accounts = { first: await addAccount(repositories), second: await addAccount(repositories) };
  const website = aWebsite({ id: newId(), url: `https://${newId()}.example` });
  await repositories.websites.insert(accounts.second, website, UNRECORDED);
  const rule = (group: Group, account: string, role: Role, url?: string): GroupRule => ({
    group,
    account,
    role,
    website: url,
  });
  const deps = {
    ...repositories,
    passwords: quickHasher,
    isCommonPassword: () => false,
    now,
    newId,
    randomBytes,
    author: COMMAND_LINE,
    request: { requestId: null, network: null },
    groupRules: [
      rule('owners', accounts.first, 'owner'),
      rule('deputies', accounts.first, 'editor'),
      rule('clients', accounts.second, 'viewer', website.url),
      rule('editors', accounts.second, 'editor'),
    ],
  };
  const run = newId();
  const identityOf = (index: number, groups: readonly string[]): ProviderIdentity => ({
    issuer: 'https://login.example',
    subject: `${run} ${index}`,
    email: `${index}@${run}.example`,
    isVerified: true,
    name: `${index}`,
    groups,
  });

  return {
    /** The first sign-in of somebody, from five browsers at once. */
    enterAtOnce: (identity: Partial<ProviderIdentity> = {}) =>
      atOnce(5, () => enterThroughProvider(deps, { ...identityOf(0, ['owners', 'clients']), ...identity })),

    /** The address of an open invitation that was mailed. */
    async invite(): Promise<string> {
      const email = `${newId()}@invited.example`;
      const invitation = anInvitation({ accountId: accounts.first, email, isMailed: true, expiresAt: null });
      await repositories.people.insertInvitation(invitation, UNRECORDED);
      return email;
    },

    /** The verified address of somebody who is here already. */
    async addPerson(): Promise<string> {
      const person = aPerson({ email: `${newId()}@known.example`, isVerified: true });
      const member = aMember({ accountId: accounts.first, personId: person.id });
      await repositories.people.addMember(person, member, UNRECORDED);
      return person.email;
    },

    async take(step: Step): Promise<void> {
      if ('groups' in step) {
        await enterThroughProvider(deps, identityOf(step.person, step.groups));
        return;
      }
      const person = await repositories.people.findByIdentity(identityOf(step.person, []));
      if (person === undefined) return;
      const accountId = accounts[step.where];
      const known = (await repositories.people.membershipsOf(person.id)).find((each) => each.accountId === accountId);
      await unlessLastOwner(async () => {
        if ('isRemoved' in step) {
          if (known !== undefined) await removeMember(deps, accountId, person.id);
        } else if (known !== undefined) {
          await changeMember(deps, accountId, person.id, { role: step.role, websiteIds: null });
        } else {
          await repositories.people.addMember(
            person,
            aMember({ accountId, personId: person.id, role: step.role }),
            UNRECORDED,
          );
        }
      });
    },

    async members() {
      const of = async (where: Where) =>
        (await repositories.people.listMembers(accounts[where]))
          .map(({ member, person: { name } }) => ({
            name,
            role: member.role,
            websites: member.websiteIds?.map((id) => id === website.id) ?? 'all',
            isByGroup: member.isByGroup,
          }))
          .sort((one, other) => one.name.localeCompare(other.name));
      return { first: await of('first'), second: await of('second') };
    },
  };
}

async function unlessLastOwner(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'last_owner') throw error;
  }
}

/** What the documentation says, person by person and account by account. `['x']` stands for the website. */
function startModel() {
  const known = new Set<number>();
  const accounts = { first: new Map<number, Membership>(), second: new Map<number, Membership>() };

  const wanted = (where: Where, groups: readonly Group[]): Grant | undefined => {
    const has = (group: Group, role: Role) => (groups.includes(group) ? [role] : []);
    const [role] =
      where === 'first'
        ? [...has('owners', 'owner'), ...has('deputies', 'editor')]
        : [...has('editors', 'editor'), ...has('clients', 'viewer')];
    return role === undefined ? undefined : { role, websiteIds: role === 'viewer' ? ['x'] : null };
  };
  const set = (where: Where, person: number, membership: Membership | undefined): void => {
    const members = accounts[where];
    const others = [...members].filter(([each]) => each !== person);
    const isLast = members.get(person)?.role === 'owner' && others.every(([, { role }]) => role !== 'owner');
    if (isLast && membership?.role !== 'owner') return;
    if (membership === undefined) members.delete(person);
    else members.set(person, membership);
  };

  return {
    take(step: Step): void {
      const { person } = step;
      if ('groups' in step) {
        const grants = { first: wanted('first', step.groups), second: wanted('second', step.groups) };
        if (!known.has(person) && grants.first === undefined && grants.second === undefined) return;
        known.add(person);
        for (const where of ['first', 'second'] as const) {
          if (accounts[where].get(person)?.isByGroup === false) continue;
          const grant = grants[where];
          set(where, person, grant && { ...grant, isByGroup: true });
        }
        return;
      }
      if (!known.has(person)) return;
      const before = accounts[step.where].get(person);
      if ('isRemoved' in step) set(step.where, person, undefined);
      else if (before?.role !== step.role || before.websiteIds !== null) {
        set(step.where, person, { role: step.role, websiteIds: null, isByGroup: false });
      }
    },

    members() {
      const of = (where: Where) =>
        [...accounts[where]]
          .map(([person, { role, websiteIds, isByGroup }]) => ({
            name: `${person}`,
            role,
            websites: websiteIds?.map(() => true) ?? 'all',
            isByGroup,
          }))
          .sort((one, other) => one.name.localeCompare(other.name));
      return { first: of('first'), second: of('second') };
    },
  };
}
