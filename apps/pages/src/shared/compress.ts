import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const MIN_LENGTH = 1_024;
const compress = promisify(gzip);

/**
 * Compresses the texts of the scope for clients that accept gzip. This is safe from attacks on compression (BREACH),
 * because no page contains a secret: sessions and unlocks are in cookies.
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
