import { isDeepStrictEqual } from 'node:util';
import { DomainError, type Fault, InvalidFields } from '../errors.ts';
import { readExcludedIps } from './excluded-ips.ts';
import { readExcludedParams } from './excluded-params.ts';
import { readWebsiteUrl } from './website-url.ts';

/** Who may see the statistics page: everyone, only the account, or whoever knows the page's password. */
export type Privacy = 'public' | 'private' | 'password';

/** A website that an account tracks. All texts are in normal form. */
export interface Website {
  /** UUIDv7, lower case. */
  readonly id: string;
  readonly url: string;
  readonly privacy: Privacy;
  /** argon2id, in PHC format; `null` if no password is set. It takes effect only while `privacy` is `'password'`. */
  readonly passwordHash: string | null;
  readonly emailReports: boolean;
  readonly excludeBots: boolean;
  readonly excludedParams: readonly string[];
  readonly excludedIps: readonly string[];
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond, so it is also the website's version. */
  readonly updatedAt: Date;
}

/** The fields of a website that its owner sets; `null` or an empty list means none. */
interface WebsiteFields {
  readonly url: string;
  readonly privacy: Privacy;
  readonly password: string | null;
  readonly emailReports: boolean;
  readonly excludeBots: boolean;
  /** One name per line; as input with blank lines and duplicates. */
  readonly excludedParams: readonly string[];
  /** One address, network or IPv4 wildcard per line; as input with blank lines and duplicates. */
  readonly excludedIps: readonly string[];
}

/** Unchecked input for a website. An absent member sets nothing. */
export type WebsiteInput = { readonly [Name in keyof WebsiteFields]?: WebsiteFields[Name] | undefined };

declare const checked: unique symbol;

/** A new website that passed all rules which need no stored state; only {@link parseNewWebsite} makes one. */
export type NewWebsite = WebsiteFields & { readonly [checked]: 'new website' };

/** Changes that passed all rules which need no stored state; only {@link parseWebsiteChanges} makes them. */
export type WebsiteChanges = Partial<WebsiteFields> & { readonly [checked]: 'website changes' };

const MAX_PASSWORD_LENGTH = 256;

/** The defaults of a new website (specification, section 2), defined only here. */
const DEFAULTS = {
  privacy: 'private',
  password: null,
  emailReports: false,
  excludeBots: true,
  excludedParams: [],
  excludedIps: [],
} as const satisfies Omit<WebsiteFields, 'url'>;

/**
 * Checks the input for a new website, normalizes it and fills in the defaults.
 *
 * @throws InvalidFields with every fault of every field
 */
export function parseNewWebsite(input: WebsiteInput): NewWebsite {
  const { fields, faults } = readFields(input);
  const hasFault = (field: string) => faults.some((fault) => fault.field === field);
  if (fields.url === undefined && !hasFault('url')) {
    faults.push({ field: 'url', code: 'required', detail: 'A url is required, such as https://example.com.' });
  }
  const website = { ...DEFAULTS, ...fields };
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
  return { ...changed, updatedAt: new Date(Math.max(now.getTime(), website.updatedAt.getTime() + 1)) };
}

/** The fault of a website with privacy `'password'` and no password. */
function passwordRequired(): Fault {
  return {
    field: 'password',
    code: 'password_required',
    detail: 'A statistics page with privacy "password" needs a password. Send one, or choose another privacy.',
  };
}

/** A protected page needs a password; `password` may be its hash. An absent one says nothing. */
function lacksPassword(privacy: Privacy | undefined, password: string | null | undefined): boolean {
  return privacy === 'password' && password === null;
}

/** What is wrong with a password; an empty one clears it. */
function passwordFault(password: string): Fault | undefined {
  if ([...password].length > MAX_PASSWORD_LENGTH) {
    const detail = `The password must have at most ${MAX_PASSWORD_LENGTH} characters.`;
    return { field: 'password', code: 'too_long', detail };
  }
  if (/[\0\p{Cs}]/u.test(password)) {
    const detail = 'The password contains a NUL or a lone surrogate, which cannot be typed.';
    return { field: 'password', code: 'not_allowed', detail };
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
  if (input.privacy !== undefined) fields.privacy = input.privacy;
  if (input.password !== undefined) {
    const fault = passwordFault(input.password ?? '');
    if (fault === undefined) fields.password = input.password || null;
    else faults.push(fault);
  }
  if (input.emailReports !== undefined) fields.emailReports = input.emailReports;
  if (input.excludeBots !== undefined) fields.excludeBots = input.excludeBots;
  for (const [field, readList] of [
    ['excludedParams', readExcludedParams],
    ['excludedIps', readExcludedIps],
  ] as const) {
    const lines = input[field];
    if (lines === undefined) continue;
    const read = readList(lines);
    if (read.faults.length === 0) fields[field] = read.entries;
    faults.push(...read.faults);
  }
  return { fields, faults };
}

/** The website does not exist. Another account's website looks the same. */
export function websiteNotFound(): DomainError {
  return new DomainError('not_found', 'There is no such website.');
}
