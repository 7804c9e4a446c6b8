import type { FastifyRequest } from 'fastify';

/** The origin of this installation: that of `PUBLIC_URL`, otherwise that of the request. */
export function originOf(request: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl === undefined ? `${request.protocol}://${request.host}` : publicUrl;
}

/**
 * Whether a write comes from this site (statistics.md, section 7): its `Origin` is that of `PUBLIC_URL`, or has the
 * host of the request; the scheme is unknown behind a proxy that terminates TLS. `undefined` if the request has no
 * `Origin`.
 */
export function isOwnOrigin({ headers }: FastifyRequest, publicUrl: string | undefined): boolean | undefined {
  const { origin, host } = headers;
  if (origin === undefined) return undefined;
  if (publicUrl !== undefined) return origin === publicUrl;
  try {
    const sent = new URL(origin);
    // Parsed alike, `stats.example:443` is `stats.example` on https.
    return sent.host === new URL(`${sent.protocol}//${host}`).host;
  } catch {
    return false;
  }
}

/** Whether cookies are sent over https only. */
export function isSecure(request: FastifyRequest, publicUrl: string | undefined): boolean {
  return originOf(request, publicUrl).startsWith('https:');
}
