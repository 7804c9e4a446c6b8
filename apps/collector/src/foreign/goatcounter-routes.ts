import type { FindSettings } from '@hitherto/domain/hits';
import { HttpProblem, prepareProblem } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { quietly } from '../hits/collecting.ts';
import { PIXEL, pixelHeaders, servePreflight } from '../hits/responses.ts';
import type { ForeignHit, Outcome } from './collect-foreign.ts';
import type { ForeignContext } from './foreign-routes.ts';
import { readGoatcounterHit } from './goatcounter-hit.ts';
import { membersOf, parseJson, readRawBodies } from './raw-bodies.ts';

const BATCH_LIMIT = 1_048_576;
const MAX_HITS = 500;
/** GoatCounter's permission to record pageviews: a bit of `permissions`. */
const MAY_COUNT = 2;

/** Requests of GoatCounter's script and of clients of its API (docs/switch/goatcounter.md). */
export function goatcounterRoutes(scope: FastifyInstance, context: ForeignContext): void {
  scope.register(async (counting: FastifyInstance) => countRoutes(counting, context));
  scope.register(async (api: FastifyInstance) => apiRoutes(api, context));
}

function countRoutes(scope: FastifyInstance, { collect, websites, metrics, bodyLimit }: ForeignContext): void {
  const options = quietly(scope);
  readRawBodies(scope, bodyLimit);
  scope.setErrorHandler((error, request, reply) => {
    const { code, status, detail } = prepareProblem(error, request, reply);
    metrics.hits.rejected(code);
    const isKnown = status >= 500 || [401, 403, 429].includes(status);
    sayWhy(reply.code(isKnown ? status : 400), detail);
    pixelHeaders(reply).send(PIXEL);
  });

  const count = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { code } = membersOf(request.params);
    const { raw } = request;
    const query = new URLSearchParams(raw.url?.split('?', 2)[1] ?? '');
    const field = (name: string) => query.get(name) ?? undefined;
    const website = typeof code === 'string' ? `goatcounter:${code}` : hostOf(request);
    const hit = readGoatcounterHit(website, {
      path: field('p'),
      event: field('e'),
      ref: field('r'),
      query: field('q'),
      bot: field('b'),
    });
    if ('fault' in hit) throw new HttpProblem('bad_request', hit.fault);
    const find = typeof code === 'string' ? websites.findByIdOrAlias : byHost(websites);
    const { outcomes } = await collect([hit], find, request, reply);
    const fault = outcomes.map(faultOf).find((text) => text !== undefined);
    if (fault !== undefined) throw new HttpProblem('bad_request', fault);
    const [outcome] = outcomes;
    if (outcome?.outcome === 'dropped') {
      sayWhy(reply, `ignored: ${outcome.reason}`);
      if (outcome.reason === 'excluded_ip') reply.code(202);
    }
    return pixelHeaders(reply).send(PIXEL);
  };

  for (const path of ['/count', '/count/:code']) {
    servePreflight(scope, path, ['GET', 'HEAD', 'POST']);
    scope.get(path, { ...options, exposeHeadRoute: false }, count);
    scope.post(path, options, count);
    // A HEAD shows no page, so it counts nothing.
    scope.head(path, options, (_request, reply) => pixelHeaders(reply).send());
  }
}

/** Hits of a server, with a key; unlike at `/api/v1/hits`, each is stored for itself. */
function apiRoutes(scope: FastifyInstance, { collect, websites, metrics, keyOf }: ForeignContext): void {
  readRawBodies(scope, BATCH_LIMIT);
  scope.setErrorHandler((error, request, reply) => {
    const { code, status, detail } = prepareProblem(error, request, reply);
    metrics.hits.rejected(code);
    // `goatcounter import` waits for this many seconds; without the header it sends the hits again immediately.
    if (status === 429) reply.header('x-rate-limit-reset', reply.getHeader('retry-after'));
    reply.send({ error: status === 422 ? 'invalid' : detail });
  });

  const requireKey = async (request: FastifyRequest): Promise<void> => {
    if ((await keyOf(request)) === undefined) throw new HttpProblem('missing_key');
  };

  // `goatcounter import` asks whether its key may count before it sends hits.
  scope.get('/api/v0/me', quietly(scope), async (request) => {
    await requireKey(request);
    return { token: { name: 'Hitherto', permissions: MAY_COUNT } };
  });

  scope.post<{ Body: string }>('/api/v0/count', quietly(scope), async (request, reply) => {
    await requireKey(request);
    const { hits, no_sessions: withoutSessions } = membersOf(parseJson(request.body));
    if (!Array.isArray(hits) || hits.length === 0) return reply.code(400).send({ error: 'no hits' });
    if (hits.length > MAX_HITS) {
      return reply.code(400).send({ error: `maximum amount of pageviews in one batch is ${MAX_HITS}` });
    }
    const host = hostOf(request);
    const read = hits.map((sent: unknown, index) => {
      const hit = readGoatcounterHit(host, membersOf(sent));
      if ('fault' in hit || isOfVisitor(hit)) return hit;
      if (withoutSessions !== true) {
        return { fault: 'session or browser/IP not set; use no_sessions if you don’t want to track unique visits' };
      }
      // The address and the user agent of the request are those of the server, so the hit is a visitor of its own.
      return { ...hit, claims: { ...hit.claims, visitor: `${request.id} ${index}` } };
    });
    const sound = read.flatMap((one) => ('fault' in one ? [] : [one]));
    const { outcomes } = await collect(sound, byHost(websites), request, reply);
    const left = [...outcomes];
    const faults = read.flatMap((one, index) => {
      const outcome = 'fault' in one ? undefined : left.shift();
      const fault = 'fault' in one ? one.fault : outcome && faultOf(outcome);
      return fault === undefined ? [] : [[index, fault] as const];
    });
    if (faults.length > 0) return reply.code(400).send({ errors: Object.fromEntries(faults) });
    return reply.code(202).send({ status: 'ok' });
  });
}

/** Whether a hit says whose it is, as GoatCounter wants it. */
function isOfVisitor({ claims: { ip, userAgent, visitor } }: ForeignHit): boolean {
  return visitor !== undefined || (ip !== undefined && userAgent !== undefined);
}

/** The website whose alias is the host, or else the first label of the host as a code. */
function byHost({ findByEither }: ForeignContext['websites']): FindSettings {
  return (host) => findByEither('alias', host, `goatcounter:${host.split('.', 1)[0]}`);
}

function hostOf({ headers }: FastifyRequest): string {
  return (headers.host ?? '').toLowerCase().replace(/:\d*$/, '');
}

function faultOf(outcome: Outcome): string | undefined {
  if (outcome.outcome === 'unknown_website') return 'no site with this code';
  return outcome.outcome === 'invalid' ? `not valid: ${outcome.fault}` : undefined;
}

function sayWhy(reply: FastifyReply, reason: string): void {
  reply.header('x-goatcounter', reason.replaceAll(/[^\x20-\x7e]/g, '?'));
}
