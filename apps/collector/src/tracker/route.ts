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

/** The scripts that are served by one path. */
interface TrackerScripts {
  /** The tracker's source. */
  readonly own: string;
  /** By the query of the address: what the tracker loads where it is needed. A policy that names the script allows it, too. */
  readonly byQuery: Readonly<Record<string, string>>;
}

/** Serves the scripts, under further paths with the address of `hitPath` relative to each. */
export function scriptRoutes(
  scope: FastifyInstance,
  { own, byQuery }: TrackerScripts,
  furtherPaths: readonly string[],
  hitPath: string,
): void {
  const others = Object.entries(byQuery).map(([query, script]) => [`?${query}`, serveScript(script)] as const);
  const serve = (path: string, script: string): void => {
    const serveOwn = serveScript(script);
    scope.get(path, (request, reply) => {
      const { url = '' } = request.raw;
      const [, found = serveOwn] = others.find(([query]) => url.endsWith(query)) ?? [];
      return found(request, reply);
    });
  };
  serve('/script.js', own);
  for (const path of furtherPaths) {
    // Relative, so that it holds below the path of a proxy, too.
    const address = '../'.repeat(path.split('/').length - 2) + hitPath.slice(1);
    serve(path, own.replace(NEXT_TO_ITSELF, JSON.stringify(address)));
  }
}
