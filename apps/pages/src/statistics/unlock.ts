import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long an unlock lasts, in milliseconds: 7 days (statistics.md, section 6). */
export const UNLOCK_MS = 7 * 24 * 60 * 60 * 1000;

const UNLOCK = /^([0-9a-z]{1,10})\.([\w-]{43})$/;

/** A page that a password opens: the page of a website, or a shared link. */
export interface Lock {
  /** Unique among locks. */
  readonly name: string;
  readonly passwordHash: string | null;
  /** A number that changes when earlier unlocks end. */
  readonly version: () => Promise<number | undefined>;
}

/**
 * The value of the cookie that unlocks a page until `expiresAt`: the time, and a keyed hash of the time and the
 * lock's version. The key is the hash of the page's password, which is never shown. So nothing is stored for an unlock,
 * and a new version of the lock ends it.
 */
export async function makeUnlock(lock: Lock, expiresAt: Date): Promise<string> {
  const expiry = expiresAt.getTime().toString(36);
  return `${expiry}.${(await macOf(lock, expiry)).toString('base64url')}`;
}

/** Whether the value of a cookie opens the lock at `now`. Values that cannot be an unlock cost no query. */
export async function isUnlock(lock: Lock, text: string, now: Date): Promise<boolean> {
  const [, expiry, sent] = UNLOCK.exec(text) ?? [];
  if (expiry === undefined || sent === undefined || lock.passwordHash === null) return false;
  if (now.getTime() >= Number.parseInt(expiry, 36)) return false;
  const mac = await macOf(lock, expiry);
  const received = Buffer.from(sent, 'base64url');
  return received.length === mac.length && timingSafeEqual(received, mac);
}

async function macOf({ name, passwordHash, version }: Lock, expiry: string): Promise<Buffer> {
  return createHmac('sha256', passwordHash ?? '')
    .update(`unlock ${name} ${await version()} ${expiry}`)
    .digest();
}
