import { nameFaults } from '../access/account.ts';
import { InvalidFields } from '../base/errors.ts';
import { nextVersion, untilSettled } from '../base/versions.ts';
import { isPasswordOf, type JoinDependencies } from './join.ts';
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
  readonly password?: string;
}

type ChangeDependencies = Pick<JoinDependencies, 'people' | 'passwords' | 'isCommonPassword' | 'now'>;

/**
 * Changes a person. All of their sessions end but the one with the hash `kept`, if the password changes.
 *
 * @param current the present password, which a new one needs
 * @throws InvalidFields, DomainError `not_found`
 */
export async function changePerson(
  deps: ChangeDependencies,
  id: string,
  changes: PersonChanges,
  current: string,
  kept: string,
): Promise<Person> {
  const { name, password } = changes;
  rejectFaults(name === undefined ? [] : nameFaults(name));
  let passwordHash: string | undefined;
  return untilSettled(async () => {
    const person = await deps.people.find(id);
    if (person === undefined) throw personNotFound();
    if (password !== undefined && passwordHash === undefined) {
      if (person.passwordHash !== null && !(await isPasswordOf(deps, person, current))) throw wrongPassword();
      rejectFaults(passwordFaults(password, person.email, deps.isCommonPassword));
      passwordHash = await deps.passwords.hash(password);
    }
    const changed: Person = {
      ...person,
      ...(name === undefined ? {} : { name }),
      ...(passwordHash === undefined ? {} : { passwordHash }),
      updatedAt: nextVersion(person, deps.now()),
    };
    const ending = passwordHash === undefined ? undefined : { kept };
    return (await deps.people.replace(changed, person.updatedAt, ending)) ? changed : undefined;
  });
}

function wrongPassword(): InvalidFields {
  const detail = 'This is not your present password.';
  return new InvalidFields([{ field: 'current_password', code: 'not_allowed', detail }]);
}
