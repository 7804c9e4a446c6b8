import { hash } from 'node:crypto';

/** A browser that is signed in with a key (statistics.md, section 7). It can do what the key can, and ends with it. */
export interface Session {
  /** SHA-256 of the cookie's text, in hex. The text is random, and only the browser keeps it. */
  readonly hash: string;
  readonly keyId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export const SESSION_BYTES = 32;
/** How long a session lasts, in milliseconds: 30 days. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000;

/** The text of a cookie: 32 random bytes in base64url. */
export function formatSession(random: Uint8Array): string {
  return Buffer.from(random).toString('base64url');
}

/** The hash under which a session is stored; `undefined` if the text cannot be a session's. */
export function hashSession(text: string): string | undefined {
  return /^[\w-]{43}$/.test(text) ? hash('sha256', text, 'hex') : undefined;
}
