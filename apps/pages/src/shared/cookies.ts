import type { FastifyReply, FastifyRequest } from 'fastify';
import { originOf } from './request.ts';

export const SESSION_COOKIE = 'hitherto_session';
export const UNLOCK_COOKIE = 'hitherto_unlock';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly maxAgeMs: number;
}

/** Sets a cookie that scripts cannot read and that forms of other sites do not send. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, { name, value, path, maxAgeMs }: Cookie): void {
  reply.setCookie(name, value, {
    path,
    httpOnly: true,
    sameSite: 'lax',
    secure: originOf(request).startsWith('https:'),
    maxAge: Math.floor(maxAgeMs / 1000),
  });
}
