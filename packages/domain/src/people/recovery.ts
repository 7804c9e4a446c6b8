import { nextVersion, untilSettled } from '../base/versions.ts';
import { type AuditChange, type Authored, makeEntry } from '../changes/entry.ts';
import { hashOneTimeToken, makeOneTimeToken } from './invitation.ts';
import type { JoinDependencies } from './join.ts';
import type { LinkPurpose, PersonLink, PersonLinkRepository } from './link.ts';
import { makeNotice, type PersonMail } from './mail.ts';
import { emailFaults, foldEmail, type Person, passwordFaults, personNotFound, rejectFaults } from './person.ts';
import { turnOffSecondFactor } from './second-factor.ts';
import type { SecondFactorRepository } from './second-factor-repository.ts';
import { changePerson, replacePerson } from './sign-in.ts';

// Ways back in, and how an address is shown to be somebody's (people.md, "Recovery").

const MINUTE_MS = 60_000;
/** How long a link lasts, in milliseconds. */
const LIFE_MS: Readonly<Record<LinkPurpose, number>> = {
  password: 60 * MINUTE_MS,
  sign_in: 15 * MINUTE_MS,
  address: 24 * 60 * MINUTE_MS,
};

interface LinkDependencies extends Pick<JoinDependencies, 'people' | 'now' | 'newId' | 'randomBytes'> {
  readonly personLinks: PersonLinkRepository;
}

/**
 * Mails a link for a new password to whoever has verified the address, at most three in an hour. Nothing tells whether anybody has:
 * the same is done for every address, and who gets the mail is decided when it is sent.
 *
 * @throws InvalidFields
 */
export async function requestPasswordLink(deps: LinkDependencies, email: string): Promise<void> {
  rejectFaults(emailFaults(email));
  await mailLink(deps, { purpose: 'password', personId: null, email }, { kind: 'password_link' });
}

/**
 * Mails a link to an address, which the person has from when they open it. `false` if too many were mailed in the last hour.
 *
 * @throws InvalidFields
 */
export async function requestAddressLink(
  deps: LinkDependencies,
  { id: personId }: Pick<Person, 'id'>,
  email: string,
): Promise<boolean> {
  rejectFaults(emailFaults(email));
  return mailLink(deps, { purpose: 'address', personId, email }, { kind: 'address_link' });
}

/**
 * The token of a link that signs a person in. It is in the audit trail of their accounts, and they are told by mail.
 *
 * @param resetsSecondFactor whether their second factor is turned off, too
 */
export async function makeSignInLink(
  deps: LinkDependencies & Authored & { readonly secondFactors: SecondFactorRepository },
  { id: personId, name }: Pick<Person, 'id' | 'name'>,
  resetsSecondFactor = false,
): Promise<string> {
  const token = makeOneTimeToken(deps.randomBytes);
  const link = newLink(deps, { purpose: 'sign_in', personId, email: null }, token);
  const members = await deps.people.membershipsOf(personId);
  const about = { action: 'member.updated', websiteId: null, subject: { id: personId, name } } as const;
  const fields: AuditChange[] = [{ field: 'sign_in_link', change: 'set' }];
  if (resetsSecondFactor) fields.push({ field: 'second_factor', change: 'removed' });
  const changes = members.map(({ accountId }) => ({
    entry: makeEntry(deps, { accountId, ...about, changes: fields }),
  }));
  await deps.personLinks.insert(link, makeNotice(deps, personId, { kind: 'sign_in_link' }), changes);
  if (resetsSecondFactor) await turnOffSecondFactor(deps, personId, undefined);
  return token;
}

/** The link of a token, and whose it is; `undefined` if it was used or has expired, or nobody has verified its address. */
export async function findPersonLink(
  { personLinks, people, now }: Pick<LinkDependencies, 'personLinks' | 'people' | 'now'>,
  token: string,
): Promise<{ readonly link: PersonLink; readonly person: Person } | undefined> {
  const link = await personLinks.find(hashOneTimeToken(token));
  if (link === undefined || now() >= link.expiresAt) return undefined;
  const { personId, email } = link;
  const person = personId === null ? await people.findByEmail(email ?? '') : await people.find(personId);
  if (person === undefined || (personId === null && !person.isVerified)) return undefined;
  return { link, person };
}

/**
 * Uses up a link that is a way in. With a new password, all sessions of the person end.
 *
 * @param password `undefined` to keep the one that there is
 * @returns the person, who can be let in
 * @throws InvalidFields, DomainError `not_found`
 */
export async function recover(
  deps: LinkDependencies & JoinDependencies,
  { link, person }: { readonly link: PersonLink; readonly person: Person },
  password: string | undefined,
): Promise<Person> {
  if (password !== undefined) rejectFaults(passwordFaults(password, person.email, deps.isCommonPassword));
  if (!(await deps.personLinks.delete(link.tokenHash))) throw personNotFound();
  return password === undefined ? person : changePerson(deps, person.id, { password }, undefined);
}

/**
 * Gives a person the address whose link they have opened: it is verified. Their other sessions end, if it is another one.
 *
 * @param kept the hash of the session that stays
 * @throws DomainError `not_found` if the link is somebody else's, or was used; `email_taken`
 */
export async function confirmAddress(
  deps: LinkDependencies,
  { link, person }: { readonly link: PersonLink; readonly person: Person },
  kept: string,
): Promise<void> {
  if (!(await deps.personLinks.delete(link.tokenHash))) throw personNotFound();
  await changeAddress(deps, person.id, { email: link.email ?? '', isVerified: true }, kept);
}

/**
 * Changes the address of a person, who has shown that it is them.
 *
 * @param isVerified whether they have shown that the mailbox is theirs
 * @param kept as {@link confirmAddress}
 * @throws InvalidFields, DomainError `not_found`, `email_taken`
 */
export async function changeAddress(
  deps: Pick<LinkDependencies, 'people' | 'now' | 'newId'>,
  id: string,
  { email, isVerified }: Pick<Person, 'email' | 'isVerified'>,
  kept: string,
): Promise<void> {
  rejectFaults(emailFaults(email));
  await untilSettled(async () => {
    const person = await deps.people.find(id);
    if (person === undefined) throw personNotFound();
    const isOther = foldEmail(person.email) !== foldEmail(email);
    const verified = isVerified || (!isOther && person.isVerified);
    const changed = { ...person, email, isVerified: verified, updatedAt: nextVersion(person, deps.now()) };
    const tells = isOther && person.isVerified;
    const notice = tells ? makeNotice(deps, id, { kind: 'address_changed', to: person.email }) : undefined;
    return (await replacePerson(deps, person, changed, kept, notice)) ? true : undefined;
  });
}

function mailLink(
  deps: LinkDependencies,
  about: Pick<PersonLink, 'purpose' | 'personId' | 'email'>,
  mail: PersonMail['about'],
): Promise<boolean> {
  const token = makeOneTimeToken(deps.randomBytes);
  const link = newLink(deps, about, token);
  return deps.personLinks.insert(link, { id: deps.newId(), at: link.createdAt, about: mail, token });
}

function newLink(
  { now }: Pick<LinkDependencies, 'now'>,
  about: Pick<PersonLink, 'purpose' | 'personId' | 'email'>,
  token: string,
): PersonLink {
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + LIFE_MS[about.purpose]);
  return { ...about, tokenHash: hashOneTimeToken(token), createdAt, expiresAt };
}
