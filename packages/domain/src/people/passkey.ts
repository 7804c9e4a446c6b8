import { hash } from 'node:crypto';
import { InvalidFields, inWords, type Saying } from '../base/errors.ts';
import { makeNotice, type PersonMail } from './mail.ts';

/** A key pair of a person's device, of which only the device has the secret half (people.md, "Passkeys"). */
export interface Passkey {
  /** As the device names it, in base64url. */
  readonly id: string;
  readonly personId: string;
  readonly name: string;
  readonly publicKey: Uint8Array;
  /** Counted by the device with each use, or 0. */
  readonly counter: number;
  readonly createdAt: Date;
}

/** Where a passkey is used: the origin of the page, and the domain for which it was made. */
export interface PasskeySite {
  readonly origin: string;
  readonly domain: string;
}

/** Checks what browsers say that devices have signed (WebAuthn). Anything may be given as `said`. */
export interface PasskeyChecks {
  /** The new passkey; `undefined` unless the device has signed the challenge for the site, after it knew its user. */
  made(
    site: PasskeySite,
    challenge: string,
    said: unknown,
  ): Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter'> | undefined>;
  /** The id of the passkey with which something was signed. */
  idIn(said: unknown): string | undefined;
  /** The new counter; `undefined` unless the passkey has signed the challenge for the site, after its device knew its user. */
  signed(site: PasskeySite, challenge: string, said: unknown, passkey: Passkey): Promise<number | undefined>;
}

/**
 * Stores passkeys. They belong to a second factor that is on, and are deleted with it. All methods accept any string as an id,
 * and reject with a `DomainError` of code `unavailable` while the database is unreachable.
 */
export interface PasskeyRepository {
  /** The passkeys of a person, the oldest first. */
  list(personId: string): Promise<Passkey[]>;

  find(id: string): Promise<Passkey | undefined>;

  /**
   * Adds a passkey, and records the notice of it; false, without writing, if there is one with its id, the person has too many, or
   * no second factor.
   */
  insert(passkey: Passkey, notice?: PersonMail): Promise<boolean>;

  /** Records a use; false if the passkey is gone, or has been used with this counter unless that is 0. */
  use(id: string, counter: number): Promise<boolean>;

  /** Deletes a passkey of the person, and records the notice of it; false if there is none. */
  delete(personId: string, id: string, notice?: PersonMail): Promise<boolean>;
}

export interface PasskeyDependencies {
  readonly passkeys: PasskeyRepository;
  readonly passkeyChecks: PasskeyChecks;
  readonly now: () => Date;
  /** A new UUIDv7. */
  readonly newId: () => string;
}

export const MAX_PASSKEYS = 20;
const MAX_NAME_LENGTH = 50;

/** What a device has to sign in a session, or in a sign-in that waits; it is as secret and as short-lived as that. */
export function challengeOf(cookie: string, purpose: 'make' | 'use'): string {
  return hash('sha256', `${purpose} passkey ${cookie}`, 'base64url');
}

/**
 * Adds a passkey that a device of the person has just made.
 *
 * @throws InvalidFields
 */
export async function addPasskey(
  deps: PasskeyDependencies,
  personId: string,
  name: string,
  { site, challenge, said }: { readonly site: PasskeySite; readonly challenge: string; readonly said: unknown },
): Promise<void> {
  const length = [...name.trim()].length;
  if (length === 0 || length > MAX_NAME_LENGTH) throw fault('name', ({ faults }) => faults.name(MAX_NAME_LENGTH));
  const made = await deps.passkeyChecks.made(site, challenge, said);
  if (made === undefined) throw fault('passkey', ({ faults }) => faults.people.noPasskey);
  const passkey = { ...made, personId, name: name.trim(), createdAt: deps.now() };
  if (!(await deps.passkeys.insert(passkey, makeNotice(deps, personId, { kind: 'passkey_added' })))) {
    throw fault('passkey', ({ faults }) => faults.people.knownPasskey(MAX_PASSKEYS));
  }
}

/** Removes a passkey of a person. What is gone counts as removed. */
export async function removePasskey(
  deps: Omit<PasskeyDependencies, 'passkeyChecks'>,
  personId: string,
  id: string,
): Promise<void> {
  await deps.passkeys.delete(personId, id, makeNotice(deps, personId, { kind: 'passkey_removed' }));
}

/** Whose passkey has signed the challenge, whose device has known its user; it is used up with its counter. */
export async function usePasskey(
  { passkeys, passkeyChecks }: Pick<PasskeyDependencies, 'passkeys' | 'passkeyChecks'>,
  site: PasskeySite,
  challenge: string,
  said: unknown,
): Promise<string | undefined> {
  const passkey = await passkeys.find(passkeyChecks.idIn(said) ?? '');
  const counter = passkey && (await passkeyChecks.signed(site, challenge, said, passkey));
  if (passkey === undefined || counter === undefined) return undefined;
  return (await passkeys.use(passkey.id, counter)) ? passkey.personId : undefined;
}

function fault(field: string, saying: Saying): InvalidFields {
  return new InvalidFields([{ field, code: 'not_allowed', ...inWords(saying) }]);
}
