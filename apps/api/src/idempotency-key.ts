import { HttpProblem } from '@hitherto/http';
import type { FastifyRequest } from 'fastify';

/** The `Idempotency-Key` of a request, verbatim, including quotes. Two such headers are joined, and therefore refused. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new HttpProblem('bad_request', 'The Idempotency-Key must have 1 to 255 visible ASCII characters.');
}
