import { hash } from 'node:crypto';
import { InvalidFields, inWords, type Saying } from '../base/errors.ts';
import { makeNotice } from './mail.ts';
import type { SecondFactorRepository } from './second-factor-repository.ts';

/** Codes that an app makes from a secret and the time: RFC 6238 with SHA-1, 6 digits and steps of 30 s. */
export interface Totp {
  /** A new secret, in base32. */
  makeSecret(randomBytes: (size: number) => Uint8Array): string;
  /** The step of a code, which is that of the time, or the one before or after; `undefined` if it is wrong. */
  stepOf(secret: string, code: string, at: Date): number | undefined;
  /** The address from which apps read a secret. */
  uriOf(secret: string, email: string): string;
}

/** The dependencies of the second factor. */
export interface SecondFactorDependencies {
  readonly secondFactors: SecondFactorRepository;
  readonly totp: Totp;
  readonly now: () => Date;
  /** A new UUIDv7. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Whether a string has the form of a secret. */
export function isTotpSecret(text: string): boolean {
  return /^[A-Z2-7]{32}$/.test(text);
}

export const RECOVERY_CODES = 8;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** Of 5 bits each. */
const RECOVERY_CODE_LENGTH = 26;
const MAX_CODE_LENGTH = 100;

/**
 * Turns the second factor of a person on, who has put the secret into an app.
 *
 * @param code of the app, which shows that it has the secret
 * @param kept the hash of the session that stays
 * @returns the recovery codes, which are stored nowhere
 * @throws InvalidFields, DomainError `no_secret_key`
 */
export async function turnOnSecondFactor(
  deps: SecondFactorDependencies,
  personId: string,
  { secret, code }: { readonly secret: string; readonly code: string },
  kept: string,
): Promise<string[]> {
  const since = deps.now();
  const step = isTotpSecret(secret) ? deps.totp.stepOf(secret, plain(code), since) : undefined;
  if (step === undefined) throw wrongCode(({ faults }) => faults.people.code);
  const codes = makeRecoveryCodes(deps);
  const app = { personId, secret, step, since };
  const notice = makeNotice(deps, personId, { kind: 'second_factor_on' });
  if (!(await deps.secondFactors.turnOn(app, codes.map(hashRecoveryCode), kept, notice))) {
    throw wrongCode(({ faults }) => faults.people.factorIsOn);
  }
  return codes;
}

/**
 * Turns the second factor of a person off. What is off counts as turned off.
 *
 * @param kept the hash of the session that stays, if one does
 */
export async function turnOffSecondFactor(
  deps: Pick<SecondFactorDependencies, 'secondFactors' | 'now' | 'newId'>,
  personId: string,
  kept: string | undefined,
): Promise<void> {
  await deps.secondFactors.turnOff(personId, kept, makeNotice(deps, personId, { kind: 'second_factor_off' }));
}

/** Makes new recovery codes in place of all others; `undefined` if the second factor is off. They are stored nowhere. */
export async function renewRecoveryCodes(
  deps: Pick<SecondFactorDependencies, 'secondFactors' | 'randomBytes'>,
  personId: string,
): Promise<string[] | undefined> {
  const codes = makeRecoveryCodes(deps);
  return (await deps.secondFactors.replaceRecoveryCodes(personId, codes.map(hashRecoveryCode))) ? codes : undefined;
}

/** Whether a code is one of the person's app, or a recovery code; it is used up. */
export async function useSecondFactor(
  { secondFactors, totp, now }: Pick<SecondFactorDependencies, 'secondFactors' | 'totp' | 'now'>,
  personId: string,
  code: string,
): Promise<boolean> {
  const text = plain(code);
  if (!/^\d{6}$/.test(text)) return secondFactors.useRecoveryCode(personId, hashRecoveryCode(text));
  const secret = (await secondFactors.find(personId))?.secret ?? null;
  const step = secret === null ? undefined : totp.stepOf(secret, text, now());
  return step !== undefined && secondFactors.useStep(personId, step);
}

function makeRecoveryCodes({ randomBytes }: Pick<SecondFactorDependencies, 'randomBytes'>): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    Array.from(randomBytes(RECOVERY_CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length])
      .join('')
      .replace(/^(.{5})(.{5})(.{5})(.{5})/, '$1-$2-$3-$4-'),
  );
}

function hashRecoveryCode(code: string): string {
  return hash('sha256', plain(code), 'hex');
}

/** A code as it counts, however it was typed. */
function plain(code: string): string {
  return code.slice(0, MAX_CODE_LENGTH).replace(/[\s-]/g, '').toLowerCase();
}

function wrongCode(saying: Saying): InvalidFields {
  return new InvalidFields([{ field: 'code', code: 'not_allowed', ...inWords(saying) }]);
}
