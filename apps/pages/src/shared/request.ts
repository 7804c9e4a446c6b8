import type { Locale } from '@hitherto/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The origin at which people reach this installation, where `PUBLIC_URL` is set. */
    publicUrl: string | undefined;
    /** The version of the program. */
    version: string;
    /** The language of this installation, where none is chosen; absent where no route matches. */
    locale?: Locale;
  }
}

/** Tells the requests of the scope what they need to know of the installation. */
export function setInstallation(
  scope: FastifyInstance,
  { publicUrl, version, locale }: Pick<FastifyRequest, 'publicUrl' | 'version'> & { readonly locale: Locale },
): void {
  scope.decorateRequest('publicUrl', publicUrl);
  scope.decorateRequest('version', version);
  // Fastify shares no objects between requests unless a function returns them.
  scope.decorateRequest('locale', { getter: () => locale });
}

/** The origin of this installation: of `PUBLIC_URL` if it is set, else of the request. */
export function originOf({ publicUrl, protocol, host }: FastifyRequest): string {
  return publicUrl ?? `${protocol}://${host}`;
}

/** Whether people reach this installation by https. */
export function isHttps(request: FastifyRequest): boolean {
  return originOf(request).startsWith('https:');
}

/** Whether a browser loads the page into a frame; over plain http browsers do not say. */
export function isFramed({ headers }: FastifyRequest): boolean {
  return /^(?:iframe|frame|object|embed)$/.test(`${headers['sec-fetch-dest']}`);
}

/**
 * Whether a write comes from this site (pages.md): its `Origin` matches `PUBLIC_URL`, or has the
 * host of the request; the scheme is unknown behind a proxy that terminates TLS. `undefined` if the request has no
 * `Origin`.
 */
export function isOwnOrigin({ headers, publicUrl }: FastifyRequest): boolean | undefined {
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

/** The query as sent; malformed parts become U+FFFD. */
export function queryParameters({ raw: { url = '' } }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start));
}
