import { type FindSettings, UnknownWebsites } from '@hitherto/domain';
import { decodeJsonBodies } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { quietly } from '../collecting.ts';
import { servePreflight } from '../responses.ts';
import type { ForeignContext } from './foreign-routes.ts';
import { readPlausibleBody } from './plausible-hit.ts';

/** The most websites that one event may be for. */
const MAX_WEBSITES = 10;

/** Requests of Plausible's trackers (docs/switch/plausible.md). Errors are problem details, as on other routes. */
export function plausibleRoutes(scope: FastifyInstance, { collectOne, websites, bodyLimit }: ForeignContext): void {
  decodeJsonBodies(scope, ['text/plain', 'application/json'], bodyLimit);
  /** A script has an id; if that is no alias, the host of the page says the website. */
  const findFor =
    (url: string): FindSettings =>
    async (name) =>
      (await websites.findByAnyName(name)) ??
      (name.startsWith('pa-') ? websites.findByAnyName(new URL(url).hostname) : undefined);

  servePreflight(scope, '/api/event', ['POST']);
  scope.post<{ Body: Record<string, unknown> }>('/api/event', quietly(scope), async (request, reply) => {
    const hit = readPlausibleBody(request.body);
    if (hit === undefined) return reply.code(202).send();
    const names = hit.website.split(',', MAX_WEBSITES).map((name) => name.trim());
    let unknown = 0;
    for (const website of names) {
      try {
        await collectOne({ ...hit, website }, findFor(hit.fields.url), request, reply);
      } catch (error) {
        unknown += 1;
        // As with Plausible, an unknown website does not hold up the others.
        if (!(error instanceof UnknownWebsites) || unknown === names.length) throw error;
      }
    }
    return reply.code(202).send();
  });
}
