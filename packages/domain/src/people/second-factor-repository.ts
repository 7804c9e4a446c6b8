import type { PersonMail } from './mail.ts';

/** How a person shows that it is them, beside the first way in (people.md, "The second factor"). */
export interface SecondFactor {
  /** Of the app that makes codes, in base32; `null` if it was encrypted with another `SECRET_KEY`. */
  readonly secret: string | null;
  readonly since: Date;
  /** How many recovery codes are left. */
  readonly codesLeft: number;
}

/** An app of a person that makes codes. */
export interface NewApp {
  readonly personId: string;
  readonly secret: string;
  /** The step of the code that has confirmed it. */
  readonly step: number;
  readonly since: Date;
}

/**
 * Stores second factors; they are deleted with their person. Secrets are encrypted. All methods accept any string as an id, and
 * reject with a `DomainError` of code `unavailable` while the database is unreachable.
 */
export interface SecondFactorRepository {
  find(personId: string): Promise<SecondFactor | undefined>;

  /**
   * Turns the second factor on, ends the person's other sessions, and records the notice of it.
   *
   * @param recoveryHashes of the recovery codes
   * @param kept the hash of the session that stays
   * @returns false, without writing, if it is on already, or there is no such person
   * @throws DomainError `no_secret_key`
   */
  turnOn(app: NewApp, recoveryHashes: readonly string[], kept: string, notice?: PersonMail): Promise<boolean>;

  /** Turns it off, ends the person's sessions but the one with the hash `kept`, and records the notice; false if it was off. */
  turnOff(personId: string, kept: string | undefined, notice?: PersonMail): Promise<boolean>;

  /** Uses the code of a step up; false if that or a later one was used. */
  useStep(personId: string, step: number): Promise<boolean>;

  /** Uses a recovery code up; false if there is none with this hash. */
  useRecoveryCode(personId: string, hash: string): Promise<boolean>;

  /** Replaces all recovery codes; false if the second factor is off. */
  replaceRecoveryCodes(personId: string, hashes: readonly string[]): Promise<boolean>;
}
