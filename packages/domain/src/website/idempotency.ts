import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { NewWebsite, Website } from './website.ts';

/** How long a store can be repeated with its `Idempotency-Key`, in milliseconds (decisions.md, "Retries and concurrency"). */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;

/** What is kept of a store that carried an `Idempotency-Key`. Neither the key nor what was sent can be read from it. */
export interface StoreRecord {
  /** Finds the record again. */
  readonly keyHash: string;
  /** Tells whether a repeat has the same fields; the password is compared by its hash in the sealed website. */
  readonly fingerprint: string;
  /** The website as it was answered, encrypted under the `Idempotency-Key`. */
  readonly sealedWebsite: string;
  readonly expiresAt: Date;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The keys derived from an `Idempotency-Key`; one account's keys say nothing of another's. */
function derive(accountId: string, idempotencyKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', idempotencyKey, accountId, `hitherto ${purpose}`, 32));
}

/** Under which hash the record of a store with this key is kept. */
export function hashIdempotencyKey(accountId: string, idempotencyKey: string): string {
  return derive(accountId, idempotencyKey, 'record').toString('base64url');
}

/** The record of a store that made `website` of `input`. */
export function makeStoreRecord(
  accountId: string,
  idempotencyKey: string,
  input: NewWebsite,
  website: Website,
): StoreRecord {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, derive(accountId, idempotencyKey, 'seal'), nonce);
  const sealed = Buffer.concat([
    nonce,
    cipher.update(JSON.stringify(website), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return {
    keyHash: hashIdempotencyKey(accountId, idempotencyKey),
    fingerprint: fingerprintOf(accountId, idempotencyKey, input),
    sealedWebsite: sealed.toString('base64'),
    expiresAt: new Date(website.createdAt.getTime() + IDEMPOTENCY_WINDOW_MS),
  };
}

/** A keyed hash of the fields in normal form, the password left out: a fast hash of it would be easy to guess from. */
export function fingerprintOf(accountId: string, idempotencyKey: string, input: NewWebsite): string {
  const { url, privacy, emailReports, excludeBots, excludedParams, excludedIps } = input;
  const fields = JSON.stringify([url, privacy, emailReports, excludeBots, excludedParams, excludedIps]);
  return createHmac('sha256', derive(accountId, idempotencyKey, 'fingerprint'))
    .update(fields)
    .digest('base64url');
}

/** The website of the record, as it was when it was stored. Throws where the record was made with another key. */
export function openStoreRecord(accountId: string, idempotencyKey: string, record: StoreRecord): Website {
  const sealed = Buffer.from(record.sealedWebsite, 'base64');
  const decipher = createDecipheriv(CIPHER, derive(accountId, idempotencyKey, 'seal'), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  const website: Website = JSON.parse(text);
  return { ...website, createdAt: new Date(website.createdAt), updatedAt: new Date(website.updatedAt) };
}
