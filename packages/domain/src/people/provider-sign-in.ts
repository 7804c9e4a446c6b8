import { nameFaults } from '../access/account.ts';
import { DomainError } from '../base/errors.ts';
import { nextVersion, untilSettled } from '../base/versions.ts';
import { applyGrants, type GroupDependencies, type GroupRule, grantsOf } from './groups.ts';
import type { Invitation } from './invitation.ts';
import { acceptAsNewPerson, isOpen, type JoinDependencies, newPerson } from './join.ts';
import { makeNotice } from './mail.ts';
import { emailFaults, type Identity, type Person, type PersonInput, personNotFound } from './person.ts';
import type { ProviderIdentity } from './provider.ts';

type LinkDependencies = Pick<JoinDependencies, 'people' | 'now' | 'newId'>;

/** The dependencies of signing in through a provider. */
export interface ProviderSignInDependencies extends JoinDependencies, GroupDependencies {
  /** What groups give; `undefined` where they do not matter. */
  readonly groupRules: readonly GroupRule[] | undefined;
}

/** Who signed in through a provider. */
export interface Entered {
  readonly person: Person;
  /** Whether they were nobody here before. */
  readonly isNew: boolean;
}

/**
 * The person whom a provider means: who is linked with the identity, or is linked with it now because the provider vouches for
 * their verified address, or who is new by an invitation or a group (people.md, "Through a provider").
 *
 * @param opened the invitation whose link was opened
 * @returns `undefined` if nobody is meant; nothing was created then
 * @throws DomainError `email_taken` if somebody has the address who signs in otherwise; `not_found` if the invitation was used
 *   meanwhile; `identity_taken`, `too_many_members`
 */
export async function enterThroughProvider(
  deps: ProviderSignInDependencies,
  identity: ProviderIdentity,
  opened?: Invitation,
): Promise<Entered | undefined> {
  let failure: DomainError | undefined;
  try {
    const entered = await enter(deps, identity, opened);
    if (entered !== undefined) return entered;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    failure = error;
  }
  // Of two first sign-ins at once, one makes or links the person whom the other one then finds.
  if ((await deps.people.findByIdentity(identity)) !== undefined) return enter(deps, identity, opened);
  if (failure !== undefined) throw failure;
  return undefined;
}

async function enter(
  deps: ProviderSignInDependencies,
  identity: ProviderIdentity,
  opened: Invitation | undefined,
): Promise<Entered | undefined> {
  const grants = deps.groupRules && (await grantsOf(deps, deps.groupRules, identity.groups));
  const known = (await deps.people.findByIdentity(identity)) ?? (await linkByAddress(deps, identity));
  if (known !== undefined) {
    if (grants !== undefined) await applyGrants(deps, known, grants);
    return { person: known, isNew: false };
  }
  const invitation = opened ?? (await findMailedInvitation(deps, identity));
  const input = inputOf(identity, invitation?.email ?? identity.email);
  if (input === undefined) return undefined;
  if (invitation !== undefined) {
    const person = await acceptAsNewPerson(deps, invitation, input);
    if (grants !== undefined) await applyGrants(deps, person, grants);
    return { person, isNew: true };
  }
  if (grants === undefined || grants.size === 0) return undefined;
  const person = await newPerson(deps, input, false);
  await applyGrants(deps, person, grants);
  // Accounts that are full take nobody.
  return (await deps.people.find(person.id)) && { person, isNew: true };
}

/**
 * Links a person with an identity, in place of another one, or with none, and tells them by mail.
 *
 * @throws DomainError `not_found`, `identity_taken`
 */
export async function linkIdentity(deps: LinkDependencies, personId: string, identity: Identity | null): Promise<void> {
  await untilSettled(async () => {
    const person = await deps.people.find(personId);
    if (person === undefined) throw personNotFound();
    return replaceIdentity(deps, person, identity);
  });
}

/** What is known of somebody at a provider, as a person of this installation; `undefined` without an address. */
export function inputOf(identity: ProviderIdentity, address = identity.email): PersonInput | undefined {
  if (address === undefined || emailFaults(address).length > 0) return undefined;
  const names = [identity.name?.trim() ?? '', address.slice(0, address.indexOf('@'))];
  return { email: address, name: names.find((name) => nameFaults(name).length === 0) ?? 'Unnamed', identity };
}

/** Links the person whose verified address the provider vouches for, unless they are linked with somebody else there. */
async function linkByAddress(deps: LinkDependencies, identity: ProviderIdentity): Promise<Person | undefined> {
  const { email, issuer, isVerified } = identity;
  if (email === undefined || !isVerified) return undefined;
  const linked = await untilSettled(async () => {
    const person = await deps.people.findByEmail(email);
    if (person === undefined || !person.isVerified || person.identity?.issuer === issuer) return null;
    return replaceIdentity(deps, person, identity);
  });
  return linked ?? undefined;
}

/** The oldest open invitation that was mailed to an address that the provider vouches for. */
async function findMailedInvitation(
  { people, now }: LinkDependencies,
  { email, isVerified }: ProviderIdentity,
): Promise<Invitation | undefined> {
  if (email === undefined || !isVerified) return undefined;
  return (await people.listMailedInvitations(email)).find((invitation) => isOpen(invitation, now()));
}

/** The person with another identity; `undefined` if they were changed meanwhile. */
async function replaceIdentity(
  deps: LinkDependencies,
  person: Person,
  identity: Identity | null,
): Promise<Person | undefined> {
  const changed: Person = {
    ...person,
    identity: identity && { issuer: identity.issuer, subject: identity.subject },
    updatedAt: nextVersion(person, deps.now()),
  };
  const notice = makeNotice(deps, person.id, { kind: identity === null ? 'provider_removed' : 'provider_linked' });
  return (await deps.people.replace(changed, person.updatedAt, undefined, notice)) ? changed : undefined;
}
