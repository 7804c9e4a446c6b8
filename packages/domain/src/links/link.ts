import { hash } from 'node:crypto';
import { DomainError, type Fault, InvalidFields, inWords } from '../base/errors.ts';
import { readTime } from '../calendar/read-time.ts';
import { nameFaults } from '../definitions/definition.ts';
import type { Entrance } from '../reading/can-view.ts';
import { passwordFault } from '../websites/website.ts';

/** A shared link to the statistics of a website, which shows them to everyone who has it (sharing.md, "Shared links"). */
export interface SharedLink {
  /** UUIDv7, lower case; identifies the link in lists and for revoking. */
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the token in the link's address, in hex. The token is random, and stored nowhere. */
  readonly tokenHash: string;
  /** The only visits that the link shows; `null` for all. */
  readonly segmentId: string | null;
  readonly expiresAt: Date | null;
  /** argon2id, in PHC format; `null` if no password is needed. */
  readonly passwordHash: string | null;
  readonly createdAt: Date;
}

/** Unchecked input for a link, with the names of the API. An absent field, or `null`, stands for none. */
export interface LinkInput {
  readonly name?: string | undefined;
  readonly segment?: string | null | undefined;
  /** As in RFC 3339. */
  readonly expires_at?: string | null | undefined;
  readonly password?: string | null | undefined;
}

/** A new link that passed all rules which need no stored state. */
export interface NewLink {
  readonly name: string;
  readonly segmentId: string | null;
  readonly expiresAt: Date | null;
  readonly password: string | null;
}

/** The most links that a website has. */
export const MAX_LINKS = 100;

const TOKEN_BYTES = 32;
const BLANK_PASSWORD = {
  field: 'password',
  code: 'not_allowed',
  detail: 'A password must have at least one character. Leave it out, or send null, for a link without a password.',
} as const;

/** Checks the input for a new link; `now` must be before it expires. Throws `InvalidFields` with every fault. */
export function parseNewLink(input: LinkInput, now: Date): NewLink {
  const { name, segment, expires_at: end = null, password = null } = input;
  const faults: Fault[] = nameFaults(name, true);
  const expiresAt = end === null ? null : readTime(end);
  if (expiresAt === undefined) {
    const detail = 'A time must be written as in RFC 3339, such as 2026-12-31T23:59:59Z.';
    faults.push({ field: 'expires_at', code: 'not_allowed', detail });
  } else if (expiresAt !== null && expiresAt <= now) {
    faults.push({ field: 'expires_at', code: 'not_allowed', ...inWords((words) => words.faults.links.past) });
  }
  // Null is how to say none: a blank that stands for a lost value must not open a link.
  const badPassword = password === '' ? BLANK_PASSWORD : passwordFault(password ?? '');
  if (badPassword !== undefined) faults.push(badPassword);
  if (faults.length > 0 || name === undefined || expiresAt === undefined) throw new InvalidFields(faults);
  return { name, segmentId: segment?.toLowerCase() ?? null, expiresAt, password };
}

/** A new token: 32 random bytes in base64url. */
export function makeToken(randomBytes: (size: number) => Uint8Array): string {
  return Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
}

/** The hash under which a link is stored; `undefined` if the string cannot be a token, without a query. */
export function hashToken(token: string): string | undefined {
  return /^[\w-]{43}$/.test(token) ? hash('sha256', token, 'hex') : undefined;
}

/** How a link lets viewers in at `now`, for `canView`. */
export function entranceOf({ expiresAt, passwordHash }: SharedLink, now: Date): Exclude<Entrance, 'own'> {
  if (expiresAt !== null && expiresAt <= now) return 'ended_link';
  return passwordHash === null ? 'link' : 'link_with_password';
}

/** The website has no such segment. */
export function unknownSegment(): InvalidFields {
  const detail = 'The website has no segment with this id.';
  const text = inWords(({ faults }) => faults.links.segment, detail);
  return new InvalidFields([{ field: 'segment', code: 'unknown_segment', ...text }]);
}

/** The website has as many links as it may have. */
export function tooManyLinks(): DomainError {
  return new DomainError('too_many_links', `A website has at most ${MAX_LINKS} links. Revoke one first.`, {
    saying: ({ faults }) => faults.full(MAX_LINKS),
  });
}
