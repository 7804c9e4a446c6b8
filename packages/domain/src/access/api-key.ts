import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DomainError } from '../base/errors.ts';
import type { Grant } from './roles.ts';

/** The permission of a key: `write` includes `read`. */
export type KeyScope = 'read' | 'write';

/** The member to whom a key belongs, with their rights now. */
export interface KeyMember extends Grant {
  readonly personId: string;
}

/** An API key as it is stored. The key itself is shown once, when it is created; only its hash is stored. */
export interface ApiKey {
  /** UUIDv7; identifies the key in lists and for revoking. */
  readonly id: string;
  readonly accountId: string;
  /** `null` for a key of the account, which people come and go without. A key ends with the membership of its member. */
  readonly member: KeyMember | null;
  /** The only websites that it is for; `null` for all. What it may do, and with which, `viewerOfKey` says. */
  readonly limitedTo: readonly string[] | null;
  /** SHA-256 of the key, in hex. The key is random, so a slow hash would only add load. */
  readonly hash: string;
  readonly scope: KeyScope;
  readonly label: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Accurate to a minute. */
  readonly lastUsedAt: Date | null;
}

/** The most keys of a person that can be used, in all accounts together. */
export const MAX_KEYS_OF_PERSON = 20;

const PREFIX = 'hto_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** How many random bytes a key has. */
export const KEY_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const KEY = new RegExp(`^${PREFIX}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** The text of a key: `hto_`, 32 random bytes in base62, and a checksum (api.md, "Authentication"). */
export function formatKey(random: Uint8Array): string {
  const secret = base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), SECRET_LENGTH);
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** The hash under which a key is stored; `undefined` if the string cannot be a key, without a query. */
export function hashKey(text: string): string | undefined {
  const [, secret, sum] = KEY.exec(text) ?? [];
  if (secret === undefined || sum !== checksum(secret)) return undefined;
  return hash('sha256', text, 'hex');
}

/** Whether the key may be used at `now`. */
export function isUsable(key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** Whether a key with the scope `granted` has the rights of `required`. */
export function covers(granted: KeyScope, required: KeyScope): boolean {
  return granted === 'write' || required === 'read';
}

/** The person has as many keys as they may have. */
export function tooManyKeys(): DomainError {
  return new DomainError('too_many_keys', ({ faults }) => faults.keys.tooMany(MAX_KEYS_OF_PERSON));
}

/** Base62 like {@link base62}, but fast, because requests wait for it: 32 bits fit a number. */
function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  while (text.length < CHECKSUM_LENGTH) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
