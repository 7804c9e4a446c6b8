import type { FastifyRequest } from 'fastify';

/** The origin at which people reach this installation at: `PUBLIC_URL`'s, else what the request came for. */
export function originOf(request: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl === undefined ? `${request.protocol}://${request.host}` : publicUrl;
}

/**
 * Whether a write comes from this site (statistics.md, section 7): its `Origin` is that of `PUBLIC_URL`, or has the host that
 * the request names; the scheme cannot be told where a proxy ends TLS. `undefined` where the request has no `Origin`.
 */
export function isOwnOrigin({ headers }: FastifyRequest, publicUrl: string | undefined): boolean | undefined {
  const { origin, host } = headers;
  if (origin === undefined) return undefined;
  if (publicUrl !== undefined) return origin === publicUrl;
  try {
    return new URL(origin).host === host?.toLowerCase();
  } catch {
    return false;
  }
}

/** Whether cookies are for https alone. */
export function isSecure(request: FastifyRequest, publicUrl: string | undefined): boolean {
  return originOf(request, publicUrl).startsWith('https:');
}
