import type { FastifyRequest } from 'fastify';

/** How often a header occurs. Node's `headers` keep only the first of some, and hostile input makes `headersDistinct` throw. */
export function countHeaders(request: FastifyRequest, name: string): number {
  const { rawHeaders } = request.raw;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    if (header?.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}
