import { nameFaults } from '../access/account.ts';
import { nextVersion, untilSettled } from '../base/versions.ts';
import { readLanguage } from '../websites/language.ts';
import type { JoinDependencies } from './join.ts';
import { makeNotice, type PersonMail } from './mail.ts';
import { type Person, passwordFaults, personNotFound, rejectFaults } from './person.ts';

/** A hash of a password that nobody has, so that an unknown address takes as long as a known one. */
export type SpareHash = () => Promise<string>;

/** The person with this address and password, or `undefined`. It always takes the same work. */
export async function findByPassword(
  deps: Pick<JoinDependencies, 'people' | 'passwords'> & { readonly spareHash: SpareHash },
  email: string,
  password: string,
): Promise<Person | undefined> {
  const [person, spare] = await Promise.all([deps.people.findByEmail(email), deps.spareHash()]);
  const isRight = await deps.passwords.verify(person?.passwordHash ?? spare, password);
  return isRight && person?.passwordHash != null ? person : undefined;
}

/** What a person changes about themself. An absent field stays. */
export interface PersonChanges {
  readonly name?: string;
  readonly language?: string;
  readonly password?: string;
}

/**
 * Replaces a person. All of their other sessions end with a changed password or address; `kept` is the hash of the one that
 * stays.
 *
 * @param notice what they are told of it
 * @returns false if the version `before` has since been changed or deleted
 * @throws DomainError `email_taken`
 */
export function replacePerson(
  { people }: Pick<JoinDependencies, 'people'>,
  before: Person,
  after: Person,
  kept: string | undefined,
  notice: PersonMail | undefined,
): Promise<boolean> {
  const ends = before.passwordHash !== after.passwordHash || before.email !== after.email;
  return people.replace(after, before.updatedAt, ends ? { kept } : undefined, notice);
}

/**
 * Changes a person, who has shown that it is them.
 *
 * @param kept the hash of the session that stays
 * @throws InvalidFields, DomainError `not_found`
 */
export async function changePerson(
  deps: Pick<JoinDependencies, 'people' | 'passwords' | 'isCommonPassword' | 'now' | 'newId'>,
  id: string,
  changes: PersonChanges,
  kept: string | undefined,
): Promise<Person> {
  const { name, password } = changes;
  const language = changes.language === undefined ? undefined : readLanguage(changes.language);
  rejectFaults([
    ...(name === undefined ? [] : nameFaults(name)),
    ...(language !== undefined && 'fault' in language ? [{ field: 'language', ...language.fault }] : []),
  ]);
  let passwordHash: string | undefined;
  return untilSettled(async () => {
    const person = await deps.people.find(id);
    if (person === undefined) throw personNotFound();
    if (password !== undefined && passwordHash === undefined) {
      rejectFaults(passwordFaults(password, person.email, deps.isCommonPassword));
      passwordHash = await deps.passwords.hash(password);
    }
    const changed: Person = {
      ...person,
      ...(name === undefined ? {} : { name }),
      ...(language !== undefined && 'value' in language ? { language: language.value } : {}),
      ...(passwordHash === undefined ? {} : { passwordHash }),
      updatedAt: nextVersion(person, deps.now()),
    };
    const notice = passwordHash === undefined ? undefined : makeNotice(deps, id, { kind: 'password_changed' });
    return (await replacePerson(deps, person, changed, kept, notice)) ? changed : undefined;
  });
}
