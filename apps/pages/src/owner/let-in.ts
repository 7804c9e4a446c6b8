import type { HitLookups } from '@hitherto/domain/hits';
import {
  askSecondFactor,
  PENDING_MS,
  type Person,
  SESSION_MS,
  type SecondFactorRepository,
  type SessionDependencies,
  startSession,
} from '@hitherto/domain/people';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PENDING_COOKIE, setCookie } from '../shared/cookies.ts';
import { HOME, SECOND_FACTOR } from '../shared/paths.ts';
import { leadingTo } from '../shared/sign-in-path.ts';
import { beginSession, browserOf } from './session.ts';

export interface LetInDependencies extends Pick<SessionDependencies, 'sessions' | 'now' | 'randomBytes'> {
  readonly secondFactors: SecondFactorRepository;
  readonly lookups: HitLookups;
}

interface WayIn {
  /** Where it leads on to, as `readNextPath` has read it; the list of websites by default. */
  readonly next?: string | undefined;
  /** How long the session lasts, in milliseconds. */
  readonly sessionMs?: number;
}

/**
 * Lets a person in who has shown who they are: the end of every way in, whatever the proof was. It asks for the second factor of
 * those who have one, and signs others in.
 */
export async function letIn(
  deps: LetInDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { id: personId }: Pick<Person, 'id'>,
  { next, sessionMs = SESSION_MS }: WayIn = {},
): Promise<FastifyReply> {
  const pending = await askSecondFactor(deps, personId, sessionMs);
  if (pending === undefined) return admit(deps, request, reply, personId, { next, sessionMs });
  setCookie(request, reply, { name: PENDING_COOKIE, value: pending, path: '/', maxAgeMs: PENDING_MS });
  return reply.redirect(leadingTo(next, SECOND_FACTOR), 303);
}

/** Signs a person in who needs to show nothing more, and ends the session that the browser had before. */
export async function admit(
  deps: Pick<LetInDependencies, 'sessions' | 'now' | 'randomBytes' | 'lookups'>,
  request: FastifyRequest,
  reply: FastifyReply,
  personId: string,
  { next = HOME, sessionMs = SESSION_MS }: WayIn,
): Promise<FastifyReply> {
  const text = await startSession(deps, { personId }, browserOf(deps, request), sessionMs);
  await beginSession(deps, request, reply, text, sessionMs);
  return reply.redirect(next, 303);
}
