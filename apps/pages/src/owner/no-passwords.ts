import type { FastifyReply } from 'fastify';
import { sendForbidden } from '../shared/send-error.tsx';

/** Rejects a password where `PASSWORDS` is off. */
export function sendNoPasswords(reply: FastifyReply): FastifyReply {
  return sendForbidden(reply, 'Passwords are turned off', 'Sign in through the provider of this installation.');
}
