import type { FastifyReply, FastifyRequest } from 'fastify';
import { isHttps } from './request.ts';

/** The name of a cookie, and the prefix that it has on https: browsers then reject it from plain http and, with `__Host-`, from other hosts. */
interface CookieName {
  readonly name: string;
  readonly prefix: '__Host-' | '__Secure-';
}

/** Signs an owner in. */
export const SESSION_COOKIE: CookieName = { name: 'hitherto_session', prefix: '__Host-' };
/** Names the browser in which a sign-in waits for the second factor. */
export const PENDING_COOKIE: CookieName = { name: 'hitherto_sign_in', prefix: '__Host-' };
/** Binds a sign-in at the provider to the browser that began it. */
export const PROVIDER_COOKIE: CookieName = { name: 'hitherto_provider', prefix: '__Host-' };
/** Shows that a viewer has entered the password of a page. It has the path of the page, which `__Host-` does not allow. */
export const UNLOCK_COOKIE: CookieName = { name: 'hitherto_unlock', prefix: '__Secure-' };
/** The same in a frame. Browsers store partitioned and plain cookies side by side; with one name the older shadows the newer. */
export const FRAMED_UNLOCK_COOKIE: CookieName = { name: 'hitherto_framed_unlock', prefix: '__Secure-' };

interface Cookie {
  readonly name: CookieName;
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
  reply.setCookie(fullName(request, name), value, {
    path,
    httpOnly: true,
    // A partitioned cookie is sent with requests from frames of the site within which it was set, and no others.
    ...(isFramed && isSecure ? { sameSite: 'none', partitioned: true } : { sameSite: 'lax' }),
    secure: isSecure,
    maxAge: Math.floor(maxAgeMs / 1000),
  });
}

/** The value of a cookie. Of several with one name none counts: another host of the domain has set one of them. */
export function readCookie(request: FastifyRequest, cookie: CookieName): string | undefined {
  const name = fullName(request, cookie);
  const sent = (request.headers.cookie ?? '').split(';').filter((pair) => pair.split('=', 1)[0]?.trim() === name);
  return sent.length === 1 ? request.cookies[name] : undefined;
}

function fullName(request: FastifyRequest, { name, prefix }: CookieName): string {
  return isHttps(request) ? `${prefix}${name}` : name;
}
