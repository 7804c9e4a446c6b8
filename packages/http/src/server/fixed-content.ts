import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { choosesGzip, compress, MIN_LENGTH } from './compress-texts.ts';
import { isNotModified } from './entity-tags.ts';

interface Made {
  readonly etag: string;
  readonly bytes: Buffer;
  /** `undefined` if it is too short. */
  readonly compressed: Buffer | undefined;
}

/** Content that is the same for everyone. */
export interface FixedContent {
  readonly type: string;
  /** The `Cache-Control` of its responses. */
  readonly caching: string;
  readonly make: () => string | Buffer;
}

/**
 * A handler of content that is the same for everyone. It is made and compressed once, at the first request: later requests cost
 * next to nothing.
 */
export function serveFixed({
  type,
  caching,
  make,
}: FixedContent): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let made: Promise<Made> | undefined;

  async function makeOnce(): Promise<Made> {
    const bytes = Buffer.from(make());
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    return { etag, bytes, compressed: bytes.length < MIN_LENGTH ? undefined : await compress(bytes) };
  }

  return async (request, reply) => {
    made ??= makeOnce();
    const { etag, bytes, compressed } = await made;
    // Weak: the compressed content has the same tag.
    reply.header('cache-control', caching).header('etag', `W/${etag}`);
    const isCompressed = compressed !== undefined && choosesGzip(request, reply);
    if (isNotModified(request, etag)) return reply.code(304).send();
    if (isCompressed) reply.header('content-encoding', 'gzip');
    return reply.type(type).send(isCompressed ? compressed : bytes);
  };
}
