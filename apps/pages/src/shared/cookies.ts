import type { FastifyReply, FastifyRequest } from 'fastify';
import { isHttps } from './request.ts';

/** Signs an owner in. */
export const SESSION_COOKIE = 'hitherto_session';
/** Shows that a viewer has entered the password of a page. */
export const UNLOCK_COOKIE = 'hitherto_unlock';
/** The same in a frame. Browsers keep a partitioned cookie next to a plain one, so with one name the older would hide the other. */
export const FRAMED_UNLOCK_COOKIE = 'hitherto_framed_unlock';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly maxAgeMs: number;
  /** Whether it is for pages in frames of other sites: then it counts only within those sites, and needs https. */
  readonly isFramed?: boolean;
}

/** Sets a cookie that scripts cannot read and that forms of other sites do not send. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, cookie: Cookie): void {
  const { name, value, path, maxAgeMs, isFramed = false } = cookie;
  const isSecure = isHttps(request);
  reply.setCookie(name, value, {
    path,
    httpOnly: true,
    // A partitioned cookie is sent with requests from frames of the site within which it was set, and no others.
    ...(isFramed && isSecure ? { sameSite: 'none', partitioned: true } : { sameSite: 'lax' }),
    secure: isSecure,
    maxAge: Math.floor(maxAgeMs / 1000),
  });
}
