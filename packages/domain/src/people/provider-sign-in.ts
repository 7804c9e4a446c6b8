import { nameFaults } from '../access/account.ts';
import { nextVersion, untilSettled } from '../base/versions.ts';
import { applyGrants, type GroupDependencies, type GroupRule, grantsOf } from './groups.ts';
import type { Invitation } from './invitation.ts';
import { acceptAsNewPerson, isOpen, type JoinDependencies, newPerson } from './join.ts';
import { emailFaults, type Identity, type Person, type PersonInput, personNotFound } from './person.ts';
import { type ProviderIdentity, vouchesFor } from './provider.ts';

/** The dependencies of signing in through a provider. */
export interface ProviderSignInDependencies extends JoinDependencies, GroupDependencies {
  /** What groups give; `undefined` where they do not matter. */
  readonly groupRules: readonly GroupRule[] | undefined;
}

/** Who signed in through a provider. */
export interface Entered {
  readonly person: Person;
  /** Whether they are new here, or were linked with the provider only now. */
  readonly isLinked: boolean;
}

/**
 * The person whom a provider means: who is linked with the identity, or is linked with it now because the provider vouches for
 * their verified address, or who is new by an invitation or a group (people.md, "Through a provider").
 *
 * @param opened the invitation whose link was opened
 * @returns `undefined` if nobody is meant; nothing was created then
 * @throws DomainError `email_taken` if somebody has the address who signs in otherwise; `not_found` if the invitation was used
 *   meanwhile; `identity_taken`
 */
export async function enterThroughProvider(
  deps: ProviderSignInDependencies,
  identity: ProviderIdentity,
  opened?: Invitation,
): Promise<Entered | undefined> {
  const grants = deps.groupRules && (await grantsOf(deps, deps.groupRules, identity.groups));
  const known = await deps.people.findByIdentity(identity);
  const entered =
    known === undefined
      ? ((await linkByAddress(deps, identity)) ?? (await acceptThroughProvider(deps, identity, opened)))
      : { person: known, isLinked: false };
  if (grants === undefined) return entered;
  if (entered !== undefined) {
    await applyGrants(deps, entered.person, grants);
    return entered;
  }
  const input = inputOf(identity);
  if (grants.size === 0 || input === undefined) return undefined;
  const person = await newPerson(deps, input, false);
  await applyGrants(deps, person, grants);
  // An account that is full takes nobody.
  return (await deps.people.find(person.id)) && { person, isLinked: true };
}

/** Links a person with an identity, in place of another one, or with none. Throws `not_found`, `identity_taken`. */
export function linkIdentity(
  deps: Pick<JoinDependencies, 'people' | 'now'>,
  personId: string,
  identity: Identity | null,
): Promise<Person> {
  return untilSettled(async () => {
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
async function linkByAddress(
  deps: Pick<JoinDependencies, 'people' | 'now'>,
  identity: ProviderIdentity,
): Promise<Entered | undefined> {
  const { email, isVerified } = identity;
  if (email === undefined || !isVerified) return undefined;
  const isOther = (person: Person) => !person.isVerified || person.identity?.issuer === identity.issuer;
  const linked = await untilSettled(async () => {
    const person = await deps.people.findByEmail(email);
    if (person === undefined || isOther(person)) return null;
    return replaceIdentity(deps, person, identity);
  });
  return linked === null ? undefined : { person: linked, isLinked: true };
}

/** Accepts the invitation whose link was opened, or one that was mailed to an address that the provider vouches for. */
async function acceptThroughProvider(
  deps: ProviderSignInDependencies,
  identity: ProviderIdentity,
  opened: Invitation | undefined,
): Promise<Entered | undefined> {
  const invitation = opened ?? (await findMailedInvitation(deps, identity));
  const input = inputOf(identity, invitation?.email ?? identity.email);
  if (invitation === undefined || input === undefined) return undefined;
  return { person: await acceptAsNewPerson(deps, invitation, input), isLinked: true };
}

async function findMailedInvitation(
  { people, now }: Pick<JoinDependencies, 'people' | 'now'>,
  identity: ProviderIdentity,
): Promise<Invitation | undefined> {
  const { email } = identity;
  if (email === undefined || !vouchesFor(identity, email)) return undefined;
  return (await people.listMailedInvitations(email)).find((invitation) => isOpen(invitation, now()));
}

/** The person with another identity; `undefined` if they were changed meanwhile. */
async function replaceIdentity(
  { people, now }: Pick<JoinDependencies, 'people' | 'now'>,
  person: Person,
  identity: Identity | null,
): Promise<Person | undefined> {
  const changed: Person = {
    ...person,
    identity: identity && { issuer: identity.issuer, subject: identity.subject },
    updatedAt: nextVersion(person, now()),
  };
  return (await people.replace(changed, person.updatedAt, undefined)) ? changed : undefined;
}
