import { isDeepStrictEqual } from 'node:util';
import { DomainError, type Fault, InvalidFields, inWords } from '../base/errors.ts';
import { nextVersion } from '../base/versions.ts';
import {
  DEFAULT_SETTINGS,
  type Privacy,
  readSetting,
  SETTING_NAMES,
  type SettingName,
  type WebsiteSettings,
} from './settings.ts';
import { missingUrl, readWebsiteUrl } from './website-url.ts';

/** A website that an account tracks. */
export interface Website extends WebsiteSettings {
  /** UUIDv7, lower case. */
  readonly id: string;
  /** In normal form. */
  readonly url: string;
  /** argon2id, in PHC format; `null` if no password is set. It is used only while `privacy` is `'password'`. */
  readonly passwordHash: string | null;
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond, so it is also the website's version. */
  readonly updatedAt: Date;
}

/** The fields of a website that its owner sets; `null` means no password. */
interface WebsiteFields extends WebsiteSettings {
  readonly url: string;
  readonly password: string | null;
}

/** Unchecked input for a website. An absent field sets nothing. */
export type WebsiteInput = { readonly [Name in keyof WebsiteFields]?: WebsiteFields[Name] | undefined };

declare const checked: unique symbol;

/** A new website that passed all rules which need no stored state; only {@link parseNewWebsite} makes one. */
export type NewWebsite = WebsiteFields & { readonly [checked]: 'new website' };

/** Changes that passed all rules which need no stored state; only {@link parseWebsiteChanges} makes them. */
export type WebsiteChanges = Partial<WebsiteFields> & { readonly [checked]: 'website changes' };

const MAX_PASSWORD_LENGTH = 256;

/**
 * Checks the input for a new website, normalizes it and fills in the defaults.
 *
 * @throws InvalidFields with every fault of every field
 */
export function parseNewWebsite(input: WebsiteInput): NewWebsite {
  const { fields, faults } = readFields(input);
  const hasFault = (field: string) => faults.some((fault) => fault.field === field);
  if (fields.url === undefined && !hasFault('url')) {
    faults.push({ field: 'url', ...missingUrl() });
  }
  const website = { ...DEFAULT_SETTINGS, password: null, ...fields };
  if (lacksPassword(website.privacy, website.password) && !hasFault('password')) {
    faults.push(passwordRequired());
  }
  if (faults.length > 0 || website.url === undefined) throw new InvalidFields(faults);
  return website as NewWebsite;
}

/**
 * Checks changes to a website and normalizes them. Applies no defaults.
 *
 * @throws InvalidFields with every fault of every field
 */
export function parseWebsiteChanges(input: WebsiteInput): WebsiteChanges {
  const { fields, faults } = readFields(input);
  const isPasswordFaulty = faults.some(({ field }) => field === 'password');
  if (lacksPassword(fields.privacy, fields.password) && !isPasswordFaulty) faults.push(passwordRequired());
  if (faults.length > 0) throw new InvalidFields(faults);
  return fields as WebsiteChanges;
}

/** A website from checked input; `passwordHash` is the hash of `input.password`. */
export function makeWebsite(input: NewWebsite, passwordHash: string | null, id: string, now: Date): Website {
  const { password: _, ...settings } = input;
  return { id, ...settings, passwordHash, createdAt: now, updatedAt: now };
}

/**
 * The website with the changes applied, or the same object if they change nothing. A sent password always counts as a
 * change, because only its hash is known.
 *
 * @param passwordHash the hash of `changes.password`, if that is a string
 * @throws InvalidFields `password_required` if a protected page would be left without a password
 */
export function changeWebsite(
  website: Website,
  changes: WebsiteChanges,
  passwordHash: string | null,
  now: Date,
): Website {
  const { password, ...settings } = changes;
  const changed: Website = {
    ...website,
    ...settings,
    passwordHash: password === undefined ? website.passwordHash : passwordHash,
  };
  if (lacksPassword(changed.privacy, changed.passwordHash)) throw new InvalidFields([passwordRequired()]);
  if (typeof password !== 'string' && isDeepStrictEqual(website, changed)) return website;
  return { ...changed, updatedAt: nextVersion(website, now) };
}

/** The fault of a website with privacy `'password'` and no password. */
function passwordRequired(): Fault {
  return {
    field: 'password',
    code: 'password_required',
    ...inWords(
      ({ settings }) => settings.passwordMissing,
      'A statistics page with privacy "password" needs a password. Send one, or choose another privacy.',
    ),
  };
}

/** A protected page needs a password; `password` may be its hash. An absent one says nothing. */
function lacksPassword(privacy: Privacy | undefined, password: string | null | undefined): boolean {
  return privacy === 'password' && password === null;
}

/** The fault of the password of a page or a link; an empty one stands for none. */
export function passwordFault(password: string): Fault | undefined {
  if ([...password].length > MAX_PASSWORD_LENGTH) {
    return {
      field: 'password',
      code: 'too_long',
      ...inWords(({ faults }) => faults.websites.longPassword(MAX_PASSWORD_LENGTH)),
    };
  }
  if (/[\0\p{Cs}]/u.test(password)) {
    return { field: 'password', code: 'not_allowed', ...inWords(({ faults }) => faults.websites.password) };
  }
  return undefined;
}

/** All valid fields in normal form, and all faults. */
function readFields(input: WebsiteInput): { fields: Partial<WebsiteFields>; faults: Fault[] } {
  const faults: Fault[] = [];
  const fields: { -readonly [Name in keyof WebsiteFields]?: WebsiteFields[Name] } = {};
  if (input.url !== undefined) {
    const read = readWebsiteUrl(input.url);
    if ('url' in read) fields.url = read.url;
    else faults.push({ field: 'url', ...read.fault });
  }
  if (input.password !== undefined) {
    const fault = passwordFault(input.password ?? '');
    if (fault === undefined) fields.password = input.password || null;
    else faults.push(fault);
  }
  const readInto = <Name extends SettingName>(name: Name, value: WebsiteInput[Name]) => {
    if (value === undefined) return;
    const read = readSetting(name, value);
    if (read.faults.length === 0) fields[name] = read.value;
    faults.push(...read.faults);
  };
  for (const name of SETTING_NAMES) readInto(name, input[name]);
  return { fields, faults };
}

/** The website does not exist. Another account's website looks the same. */
export function websiteNotFound(): DomainError {
  return new DomainError('not_found', 'There is no such website.');
}
