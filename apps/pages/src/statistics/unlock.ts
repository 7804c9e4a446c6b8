import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PageLocks, Website } from '@hitherto/domain';

/** How long an unlock lasts, in milliseconds: 7 days (statistics.md, section 6). */
export const UNLOCK_MS = 7 * 24 * 60 * 60 * 1000;

const UNLOCK = /^([0-9a-z]{1,10})\.([\w-]{43})$/;

/**
 * The text of the cookie that opens a page until `expiresAt`: the time, and a keyed hash of it and of the lock's version. The
 * key is the hash of the page's password, which nobody is shown; so nothing is stored for an unlock, and it ends with the
 * lock's version.
 */
export async function makeUnlock(locks: PageLocks, website: Website, expiresAt: Date): Promise<string> {
  const expiry = expiresAt.getTime().toString(36);
  return `${expiry}.${(await macOf(locks, website, expiry)).toString('base64url')}`;
}

/** Whether the text of a cookie opens the website's page at `now`. Only what can be an unlock costs a query. */
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
