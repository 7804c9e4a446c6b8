import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const MIN_LENGTH = 1_024;
const compress = promisify(gzip);

/**
 * Compresses the texts of the scope for clients that accept gzip. No page holds a secret that somebody else could compare
 * with a text of his own: sessions and unlocks are cookies alone.
 */
export function compressTexts(scope: FastifyInstance): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < MIN_LENGTH) return payload;
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
    if (!/(?:^|,)\s*gzip\s*(?:,|$)/i.test(request.headers['accept-encoding'] ?? '')) return payload;
    const compressed = await compress(payload);
    reply.header('content-encoding', 'gzip').header('content-length', compressed.length);
    return compressed;
  });
}
