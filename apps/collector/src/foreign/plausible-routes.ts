import { type FindSettings, UnknownWebsites } from '@hitherto/domain';
import { addFastRoute, decodeJsonBodies, type FastRoute } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { type DropHeaders, HIT_BODIES, quietly } from '../collecting.ts';
import { HIT_HEADERS, servePreflight } from '../responses.ts';
import type { ForeignContext } from './foreign-routes.ts';
import { readPlausibleBody } from './plausible-hit.ts';

/** The most websites that one event may be for. */
const MAX_WEBSITES = 10;

/** Requests of Plausible's trackers (docs/switch/plausible.md). Errors are problem details, as on other routes. */
export function plausibleRoutes(scope: FastifyInstance, { collectOne, websites }: ForeignContext): void {
  decodeJsonBodies(scope, HIT_BODIES.types, HIT_BODIES.limit);
  /** A script has an id; if that is no alias, the host of the page says the website. */
  const findFor =
    (url: string): FindSettings =>
    async (name) =>
      (await websites.findByAnyName(name)) ??
      (name.startsWith('pa-') ? websites.findByAnyName(new URL(url).hostname) : undefined);

  servePreflight(scope, '/api/event', ['POST']);
  const take: FastRoute['take'] = async (body, sender) => {
    const hit = readPlausibleBody(body);
    if (hit === undefined) return {};
    const names = hit.website.split(',', MAX_WEBSITES).map((name) => name.trim());
    let unknown = 0;
    let dropped: DropHeaders = {};
    for (const website of names) {
      try {
        dropped = { ...dropped, ...(await collectOne({ ...hit, website }, findFor(hit.fields.url), sender)) };
      } catch (error) {
        unknown += 1;
        // As with Plausible, an unknown website does not hold up the others.
        if (!(error instanceof UnknownWebsites) || unknown === names.length) throw error;
      }
    }
    return dropped;
  };
  addFastRoute(scope, '/api/event', { bodies: HIT_BODIES, headers: HIT_HEADERS, take }, quietly(scope));
}
