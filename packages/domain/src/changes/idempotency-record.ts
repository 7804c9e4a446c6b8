import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/**
 * The record of a request with an `Idempotency-Key`, from which a repeat gets the same response (api.md, "Retries and
 * concurrency"). It reveals neither the key nor the request nor the response.
 */
export interface IdempotencyRecord {
  /** Finds the record again. */
  readonly keyHash: string;
  /** Shows whether a repeat has the same content. */
  readonly fingerprint: string;
  /** The response, encrypted under the `Idempotency-Key`. */
  readonly sealedResponse: string;
  readonly expiresAt: Date;
}

/** The contents of a record. */
interface Repeatable {
  /** The request in normal form, without secrets that could be guessed. */
  readonly content: string;
  readonly response: string;
  readonly expiresAt: Date;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The record of a request. */
export function makeIdempotencyRecord(
  accountId: string,
  idempotencyKey: string,
  { content, response, expiresAt }: Repeatable,
  randomBytes: (size: number) => Uint8Array,
): IdempotencyRecord {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, derive(accountId, idempotencyKey, 'seal'), nonce);
  const sealed = Buffer.concat([nonce, cipher.update(response, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return {
    keyHash: hashIdempotencyKey(accountId, idempotencyKey),
    fingerprint: fingerprintOf(accountId, idempotencyKey, content),
    sealedResponse: sealed.toString('base64'),
    expiresAt,
  };
}

/** The hash under which the record of a request with this key is stored. */
export function hashIdempotencyKey(accountId: string, idempotencyKey: string): string {
  return derive(accountId, idempotencyKey, 'record').toString('base64url');
}

/** A keyed hash of the content of a request. */
export function fingerprintOf(accountId: string, idempotencyKey: string, content: string): string {
  return createHmac('sha256', derive(accountId, idempotencyKey, 'fingerprint'))
    .update(content)
    .digest('base64url');
}

/** The response in the record. Throws if the record was made with another key. */
export function openIdempotencyRecord(accountId: string, idempotencyKey: string, record: IdempotencyRecord): string {
  const sealed = Buffer.from(record.sealedResponse, 'base64');
  const decipher = createDecipheriv(CIPHER, derive(accountId, idempotencyKey, 'seal'), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

/** Derives keys from an `Idempotency-Key`. Keys of different accounts are unrelated. */
function derive(accountId: string, idempotencyKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', idempotencyKey, accountId, `hitherto ${purpose}`, 32));
}
