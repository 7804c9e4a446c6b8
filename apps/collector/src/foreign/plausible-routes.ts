import type { FindSettings, Hit } from '@hitherto/domain/hits';
import { addFastRoute, decodeJsonBodies, type FastRoute } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { HIT_BODIES, quietly } from '../hits/collecting.ts';
import { browserOf } from '../hits/read-hit-request.ts';
import { HIT_HEADERS, servePreflight } from '../hits/responses.ts';
import type { ForeignContext } from './foreign-routes.ts';
import { readPlausibleBody } from './plausible-hit.ts';

/** The most websites that one event may be for. */
const MAX_WEBSITES = 10;

/** Requests of Plausible's trackers (docs/switch/plausible.md). Errors are problem details, as on other routes. */
export function plausibleRoutes(scope: FastifyInstance, { collectForEach, websites, now }: ForeignContext): void {
  decodeJsonBodies(scope, HIT_BODIES.types, HIT_BODIES.limit);
  /** A script has an id; if that is not an alias, the host of the page says the website. */
  const findFor =
    ({ hostname }: Hit['url']): FindSettings =>
    async (name) =>
      name.startsWith('pa-') ? websites.findByEither('any', name, hostname) : websites.findByAnyName(name);

  servePreflight(scope, '/api/event', ['POST']);
  const take: FastRoute['take'] = async (body, sender) => {
    const sent = readPlausibleBody(body, browserOf(sender, now()));
    const names = sent.website.split(',', MAX_WEBSITES).map((name) => name.trim());
    // As with Plausible, an unknown website does not hold up the rest.
    return collectForEach(names, sent.hit, findFor(sent.hit.url), sender.ip);
  };
  addFastRoute(scope, '/api/event', { bodies: HIT_BODIES, headers: HIT_HEADERS, take }, quietly(scope));
}
