import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Shorter responses are not compressed. */
export const MIN_LENGTH = 1_024;
export const compress = promisify(gzip);

/**
 * Compresses the text responses of the scope for clients that accept gzip. Attacks on compression (BREACH) need responses with
 * a secret: leave those out.
 */
export function compressTexts(scope: FastifyInstance): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < MIN_LENGTH) return payload;
    // What is not found must look the same on every path, also on those outside of the scope.
    if (reply.statusCode === 404) return payload;
    if (!choosesGzip(request, reply)) return payload;
    const compressed = await compress(payload);
    reply.header('content-encoding', 'gzip').header('content-length', compressed.length);
    return compressed;
  });
}

/** Whether a response that can be compressed will be; it varies by what clients accept. */
export function choosesGzip(request: FastifyRequest, reply: FastifyReply): boolean {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  return new Negotiator(request).encoding(['gzip', 'identity'], { preferred: ['gzip'] }) === 'gzip';
}
