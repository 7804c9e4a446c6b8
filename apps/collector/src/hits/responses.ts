import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A transparent GIF of one pixel, 43 bytes. */
export const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

/** Chromium without scripts would ask twice for a pixel that must not be stored. */
export function pixelHeaders(reply: FastifyReply): FastifyReply {
  return reply.type('image/gif').header('cache-control', 'no-cache');
}

/** Any page may send hits and read the outcome, without credentials (tracker.md). */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Hitherto-Dropped, Hitherto-Measure, Retry-After',
  // Cross-origin isolated pages must be able to load the script and the pixel too.
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** The headers of the response to a hit. */
export const HIT_HEADERS = { ...CORS, 'cache-control': 'no-store' } as const;

/** How long a browser may cache a preflight, in seconds; no browser caches it longer. */
const MAX_AGE = '86400';

/** Lets pages of any origin read a response; errors need it too. */
export function allowOrigins(reply: FastifyReply): void {
  reply.headers(CORS);
}

/** As {@link allowOrigins}, also where a page sends credentials: then `*` allows nothing. */
export function allowCredentials({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  allowOrigins(reply);
  reply.header('vary', 'Origin');
  if (origin === undefined) return;
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
}

/** Responds to the preflights of a route. */
export function servePreflight(
  scope: FastifyInstance,
  url: string,
  methods: readonly string[],
  headers = 'Content-Type',
): void {
  const allow = [...methods, 'OPTIONS'].sort().join(', ');
  scope.options(url, (_request, reply) => {
    reply
      .code(204)
      .header('allow', allow)
      .header('access-control-allow-methods', methods.join(', '))
      .header('access-control-allow-headers', headers)
      .header('access-control-max-age', MAX_AGE)
      .send();
  });
}
