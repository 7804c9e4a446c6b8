import type { Actor, Author } from '@hitherto/domain';
import type { FastifyRequest } from 'fastify';
import { wideNetwork } from '../limits/client-address.ts';

/** Who makes the changes of a request, for the audit trail. */
export function authorOf({ id, ip }: FastifyRequest, actor: Actor): Author {
  return { actor, requestId: id, network: wideNetwork(ip) ?? null };
}
