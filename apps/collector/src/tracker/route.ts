import { serveFixed } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';

/** A handler that serves the source of a script for browsers. */
export function serveScript(script: string) {
  return serveFixed({
    type: 'text/javascript; charset=utf-8',
    caching: 'public, max-age=86400',
    make: () => script,
  });
}

/** Where the script sends, next to itself; it stands once in the source. */
const NEXT_TO_ITSELF = '"hits"';

/**
 * Serves the tracker's source, under further paths with the address of `hitPath` relative to each. With `?umami` they serve
 * the code for Umami's snippet, which the tracker loads: a content security policy that names the script allows both.
 */
export function scriptRoutes(
  scope: FastifyInstance,
  script: string,
  umami: string,
  furtherPaths: readonly string[],
  hitPath: string,
): void {
  const serve = (path: string, own: string): void => {
    const [serveOwn, serveUmami] = [serveScript(own), serveScript(umami)];
    scope.get(path, (request, reply) =>
      request.raw.url?.endsWith('?umami') ? serveUmami(request, reply) : serveOwn(request, reply),
    );
  };
  serve('/script.js', script);
  for (const path of furtherPaths) {
    // Relative, so that it holds below the path of a proxy, too.
    const address = '../'.repeat(path.split('/').length - 2) + hitPath.slice(1);
    serve(path, script.replace(NEXT_TO_ITSELF, JSON.stringify(address)));
  }
}
