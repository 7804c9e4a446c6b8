import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countHeaders } from './headers.ts';
import { MAX_HEADER_BYTES } from './node-server.ts';
import { HttpProblem } from './problems.ts';

/** Sets the headers that every response of every face has. */
export function markResponse(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ 'x-content-type-options': 'nosniff', 'x-request-id': request.id });
}

/** A name or an address, and a port (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/** Sets the common headers, and refuses requests whose framing is malformed (RFC 9112, sections 3.2 and 6). */
export function checkFraming(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    markResponse(request, reply);
    done(framingProblem(request));
  });
}

function framingProblem(request: FastifyRequest): HttpProblem | undefined {
  if (headerBytes(request) > MAX_HEADER_BYTES) return new HttpProblem('headers_too_large');
  const { headers, httpVersion } = request.raw;
  const hosts = countHeaders(request, 'host');
  const isNamed = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  if (!isNamed || !HOST.test(headers.host ?? '')) {
    return new HttpProblem(
      'bad_request',
      'A request must have exactly one Host header, with a name and optionally a port.',
    );
  }
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    return new HttpProblem('bad_request', 'The only supported Transfer-Encoding is "chunked".', {
      connection: 'close',
    });
  }
  return undefined;
}

/** Node counts only names and values, so thousands of short headers would pass. */
function headerBytes({ raw }: FastifyRequest): number {
  // Beside the target, the request line has its method, spaces, version and line break; an empty line ends the head.
  let bytes = (raw.url?.length ?? 0) + (raw.method?.length ?? 0) + 14;
  for (const text of raw.rawHeaders) bytes += text.length + 2;
  return bytes;
}
