import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { COMMON_HEADERS } from './common-headers.ts';
import { countHeaders } from './headers.ts';
import { HttpProblem } from './problems.ts';
import { MAX_HEADER_BYTES } from './server.ts';

/** Puts on an answer what all of them carry. */
export function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
}

/** A name or an address, and a port (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/** Puts on every answer what all of them carry, and refuses requests that are framed badly (RFC 9112, sections 3.2 and 6). */
export function frameRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    markAnswer(request, reply);
    done(framingProblem(request));
  });
}

function framingProblem(request: FastifyRequest): HttpProblem | undefined {
  if (headerBytes(request) > MAX_HEADER_BYTES) return new HttpProblem('headers_too_large');
  const { headers, httpVersion } = request.raw;
  const hosts = countHeaders(request, 'host');
  const isNamed = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  if (!isNamed || !HOST.test(headers.host ?? '')) {
    return new HttpProblem('bad_request', 'A request has exactly one Host header, with a name and a port.');
  }
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    return new HttpProblem('bad_request', 'The only Transfer-Encoding is "chunked".', { connection: 'close' });
  }
  return undefined;
}

/** Node counts names and values alone: thousands of short headers would pass. */
function headerBytes({ raw }: FastifyRequest): number {
  // Besides the target the request line has its method, blanks, version and end; an empty line ends the head.
  let bytes = (raw.url?.length ?? 0) + (raw.method?.length ?? 0) + 14;
  for (const text of raw.rawHeaders) bytes += text.length + 2;
  return bytes;
}
