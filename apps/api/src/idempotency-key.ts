import { HttpProblem } from '@hitherto/http';
import type { FastifyRequest } from 'fastify';

/** The header for the OpenAPI document. `repeat` says what a second request with the same key does. */
export const idempotencyKeyHeader = (repeat: string) => ({
  'idempotency-key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[!-~]+$',
    description: `1 to 255 visible ASCII characters. ${repeat}`,
    examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
  },
});

/** The `Idempotency-Key` of a request, verbatim, including quotes. Two such headers are joined, and therefore refused. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new HttpProblem('bad_request', 'The Idempotency-Key must have 1 to 255 visible ASCII characters.');
}
