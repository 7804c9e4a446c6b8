import { readFileSync } from 'node:fs';
import { HttpProblem } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { serveScript } from '../tracker/route.ts';

/** The names of Plausible's scripts: extensions follow with dots, or an id. */
const PLAUSIBLE = /^(?:(?:script|plausible)(?:\.[\w-]+)*|pa-[\w-]{1,80})\.js$/;

/** Serves the scripts in the place of other products' trackers (docs/switch/README.md), under their names. */
export function foreignScriptRoutes(scope: FastifyInstance): void {
  const matomo = serveScript(readForeignScript('matomo'));
  const plausible = serveScript(readForeignScript('plausible'));
  scope.get('/umami.js', serveScript(readForeignScript('umami')));
  scope.get('/count.js', serveScript(readForeignScript('goatcounter')));
  for (const path of ['/matomo.js', '/piwik.js']) scope.get(path, matomo);
  scope.get<{ Params: { file: string } }>('/js/:file', (request, reply) => {
    if (!PLAUSIBLE.test(request.params.file)) throw new HttpProblem('not_found');
    return plausible(request, reply);
  });
}

/** A script in the place of another product's tracker, as served to browsers. */
export function readForeignScript(name: string): string {
  return readFileSync(new URL(`../../dist/foreign/browser/${name}.js`, import.meta.url), 'utf8');
}
