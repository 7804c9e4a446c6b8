import type { HitLookups } from '@hitherto/domain/hits';
import { type Person, SESSION_MS, type SessionDependencies, startSession } from '@hitherto/domain/people';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HOME } from '../shared/paths.ts';
import { beginSession, browserOf } from './session.ts';

export interface LetInDependencies extends Pick<SessionDependencies, 'sessions' | 'now' | 'randomBytes'> {
  readonly lookups: HitLookups;
}

interface WayIn {
  /** Where it leads on to, as `readNextPath` has read it; the list of websites by default. */
  readonly to?: string | undefined;
  /** How long the session lasts, in milliseconds. */
  readonly sessionMs?: number;
}

/**
 * Lets a person in who has shown that it is them: the end of every way in, whatever the proof was. It starts a session, in place
 * of any that the browser had.
 */
export async function letIn(
  deps: LetInDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { id: personId }: Pick<Person, 'id'>,
  { to = HOME, sessionMs = SESSION_MS }: WayIn = {},
): Promise<FastifyReply> {
  const text = await startSession(deps, { personId }, browserOf(deps, request), sessionMs);
  await beginSession(deps, request, reply, text, sessionMs);
  return reply.redirect(to, 303);
}
