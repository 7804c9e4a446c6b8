import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PageLocks, Website } from '@hitherto/domain';

/** How long an unlock lasts, in milliseconds: 7 days (statistics.md, section 6). */
export const UNLOCK_MS = 7 * 24 * 60 * 60 * 1000;

const UNLOCK = /^([0-9a-z]{1,10})\.([\w-]{43})$/;

/**
 * The value of the cookie that unlocks a page until `expiresAt`: the time, and a keyed hash of the time and the
 * lock's version. The key is the hash of the page's password, which is never shown. So nothing is stored for an unlock,
 * and a new version of the lock ends it.
 */
export async function makeUnlock(locks: PageLocks, website: Website, expiresAt: Date): Promise<string> {
  const expiry = expiresAt.getTime().toString(36);
  return `${expiry}.${(await macOf(locks, website, expiry)).toString('base64url')}`;
}

/** Whether the value of a cookie unlocks the website's page at `now`. Values that cannot be an unlock cost no query. */
export async function isUnlock(locks: PageLocks, website: Website, text: string, now: Date): Promise<boolean> {
  const [, expiry, sent] = UNLOCK.exec(text) ?? [];
  if (expiry === undefined || sent === undefined || website.passwordHash === null) return false;
  if (now.getTime() >= Number.parseInt(expiry, 36)) return false;
  const mac = await macOf(locks, website, expiry);
  const received = Buffer.from(sent, 'base64url');
  return received.length === mac.length && timingSafeEqual(received, mac);
}

async function macOf(locks: PageLocks, { id, passwordHash }: Website, expiry: string): Promise<Buffer> {
  const version = await locks.versionOf(id);
  return createHmac('sha256', passwordHash ?? '')
    .update(`unlock ${id} ${version} ${expiry}`)
    .digest();
}
