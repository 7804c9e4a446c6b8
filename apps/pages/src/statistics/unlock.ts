import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Website } from '@hitherto/domain';

/** How long an unlock lasts, in milliseconds: 7 days (statistics.md, section 6). */
export const UNLOCK_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The text of the cookie that opens a page until `expiresAt`: the time, and a keyed hash of it. The key is the hash of the
 * page's password, which nobody is shown and which every new password changes; so nothing is stored for an unlock.
 */
export function makeUnlock(website: Website, expiresAt: Date): string {
  const expiry = expiresAt.getTime().toString(36);
  return `${expiry}.${macOf(website, expiry).toString('base64url')}`;
}

/** Whether the text of a cookie opens the website's page at `now`. */
export function isUnlock(website: Website, text: string, now: Date): boolean {
  const [, expiry = '', sent = ''] = /^([0-9a-z]{1,10})\.([\w-]{43})$/.exec(text) ?? [];
  const mac = macOf(website, expiry);
  const received = Buffer.from(sent, 'base64url');
  if (website.passwordHash === null || received.length !== mac.length) return false;
  return timingSafeEqual(received, mac) && now.getTime() < Number.parseInt(expiry, 36);
}

function macOf({ id, passwordHash }: Website, expiry: string): Buffer {
  return createHmac('sha256', passwordHash ?? '')
    .update(`unlock ${id} ${expiry}`)
    .digest();
}
