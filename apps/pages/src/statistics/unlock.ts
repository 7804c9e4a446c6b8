import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretRepository } from '@hitherto/domain/reports';

/** How long an unlock lasts, in milliseconds: 7 days (pages.md). */
export const UNLOCK_MS = 7 * 24 * 60 * 60 * 1000;

/** How far the clocks of instances may differ. */
const CLOCK_SKEW_MS = 60_000;
const PURPOSE = 'unlock';
const SECRET_BYTES = 32;
const UNLOCK = /^([0-9a-z]{1,10})\.([\w-]{43})$/;

/** A page that a password opens: the page of a website, or a shared link. */
export interface Lock {
  /** Unique among locks. */
  readonly name: string;
  readonly passwordHash: string | null;
  /** A number that changes when earlier unlocks end. */
  readonly version: () => Promise<number | undefined>;
}

/** Where the key of unlocks comes from. No backup has it, so that the hash of a password in a backup opens no page. */
export interface UnlockKey {
  readonly localSecrets: SecretRepository;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/**
 * The value of the cookie that unlocks a page until `expiresAt`: the time, and a keyed hash of the time, the lock's version and
 * the hash of its password. So an unlock needs no storage, and a new version of the lock ends it.
 */
export async function makeUnlock(key: UnlockKey, lock: Lock, expiresAt: Date): Promise<string> {
  const expiry = expiresAt.getTime().toString(36);
  return `${expiry}.${(await macOf(key, lock, expiry)).toString('base64url')}`;
}

/** Whether the value of a cookie opens the lock at `now`. Values that cannot be an unlock cost no query. */
export async function isUnlock(key: UnlockKey, lock: Lock, text: string, now: Date): Promise<boolean> {
  const [, expiry, sent] = UNLOCK.exec(text) ?? [];
  if (expiry === undefined || sent === undefined || lock.passwordHash === null) return false;
  const left = Number.parseInt(expiry, 36) - now.getTime();
  if (left <= 0 || left > UNLOCK_MS + CLOCK_SKEW_MS) return false;
  const mac = await macOf(key, lock, expiry);
  const received = Buffer.from(sent, 'base64url');
  return received.length === mac.length && timingSafeEqual(received, mac);
}

async function macOf(
  { localSecrets, randomBytes }: UnlockKey,
  { name, passwordHash, version }: Lock,
  expiry: string,
): Promise<Buffer> {
  const [key, current] = await Promise.all([localSecrets.secretOf(PURPOSE, randomBytes(SECRET_BYTES)), version()]);
  return createHmac('sha256', key).update(`unlock ${name} ${current} ${expiry} ${passwordHash}`).digest();
}
