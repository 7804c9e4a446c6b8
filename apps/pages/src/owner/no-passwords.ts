import type { FastifyReply, FastifyRequest } from 'fastify';
import { localeFor } from '../shared/locale.tsx';
import { sendForbidden } from '../shared/send-error.tsx';

/** Rejects a password where `PASSWORDS` is off. */
export function sendNoPasswords(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { signIn } = localeFor(request).words;
  return sendForbidden(reply, signIn.passwordsOff, signIn.passwordsOffText);
}
