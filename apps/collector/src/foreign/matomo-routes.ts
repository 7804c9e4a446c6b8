import { HttpProblem, prepareProblem } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { quietly } from '../hits/collecting.ts';
import { allowCredentials, PIXEL, pixelHeaders, servePreflight } from '../hits/responses.ts';
import type { ForeignContext } from './foreign-routes.ts';
import { type MatomoParameters, readMatomoHit } from './matomo-hit.ts';
import { membersOf, parseJson, readRawBodies, stringOf } from './raw-bodies.ts';

const BODY_LIMIT = 1_048_576;
const MAX_HITS = 500;
const PATHS = ['/matomo.php', '/piwik.php'] as const;

/** Requests of Matomo's trackers and server libraries (docs/switch/matomo.md). */
export function matomoRoutes(scope: FastifyInstance, context: ForeignContext): void {
  const { collect, websites, metrics } = context;
  const options = quietly(scope);
  readRawBodies(scope, BODY_LIMIT);
  // `matomo.js` sends credentials, and sends a hit again, as an image, if it may not read the response.
  scope.addHook('onRequest', (request, reply, done) => {
    allowCredentials(request, reply);
    done();
  });
  scope.setErrorHandler((error, request, reply) => {
    // A request that is malformed has not come as far as the hook.
    allowCredentials(request, reply);
    const { code, status } = prepareProblem(error, request, reply);
    metrics.hits.rejected(code);
    const isKnown = status >= 500 || [401, 403, 429].includes(status);
    reply.code(isKnown ? status : 400);
    if (isBulk(request)) reply.send({ status: 'error', tracked: 0, invalid: 0 });
    else answer(reply, parametersOf(request));
  });

  const track = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (isBulk(request)) return reply.send(await trackBulk(request, reply));
    const sent = parametersOf(request);
    const hit = readMatomoHit(sent, request.headers.referer);
    if (hit === undefined) throw new HttpProblem('bad_request', 'The parameters "idsite" and "rec=1" are required.');
    if (hit === 'ignored') return answer(reply, sent);
    const { outcomes } = await collect([hit], websites.findByIdOrAlias, request, reply, stringOf(sent.token_auth));
    if (outcomes.some(({ outcome }) => outcome === 'unknown_website' || outcome === 'invalid')) reply.code(400);
    return answer(reply, sent);
  };

  const trackBulk = async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const { requests, token_auth: token } = membersOf(parseJson(String(request.body)));
    if (!Array.isArray(requests) || requests.length > MAX_HITS) {
      throw new HttpProblem('bad_request', `The field "requests" must be a list of at most ${MAX_HITS} requests.`);
    }
    const all = requests.map(parametersIn);
    const read = all.map((sent) => readMatomoHit(sent, undefined));
    const hits = read.flatMap((one) => (one === undefined || one === 'ignored' ? [] : [one]));
    const key = stringOf(token) ?? all.find((sent) => sent.token_auth)?.token_auth;
    const { outcomes, hasKey } = await collect(hits, websites.findByIdOrAlias, request, reply, key);
    const left = [...outcomes];
    const invalid = read.flatMap((one, index) => {
      if (one === undefined) return [index];
      const outcome = one === 'ignored' ? undefined : left.shift()?.outcome;
      return outcome === 'unknown_website' || outcome === 'invalid' ? [index] : [];
    });
    const indices = hasKey ? { invalid_indices: invalid } : {};
    return { status: 'success', tracked: all.length - invalid.length, invalid: invalid.length, ...indices };
  };

  for (const path of PATHS) {
    servePreflight(scope, path, ['GET', 'HEAD', 'POST']);
    scope.get(path, { ...options, exposeHeadRoute: false }, track);
    scope.post(path, options, track);
    // A HEAD shows no page, so it counts nothing.
    scope.head(path, options, (_request, reply) => pixelHeaders(reply).send());
  }
}

/** A bulk request is JSON, which may be sent as a form. */
function isBulk({ body }: FastifyRequest): boolean {
  return typeof body === 'string' && /^\s*\{/.test(body);
}

function answer(reply: FastifyReply, { send_image: sendsImage }: MatomoParameters): FastifyReply {
  if (sendsImage === '0' && reply.statusCode === 200) return reply.code(204).send();
  return pixelHeaders(reply).send(PIXEL);
}

/** Query and body together: `matomo.js` posts its parameters in the body, or in the query with an empty body. */
function parametersOf({ raw: { url = '' }, body }: FastifyRequest): MatomoParameters {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  return Object.fromEntries([query, typeof body === 'string' ? body : ''].flatMap(pairsOf));
}

/** The parameters of one request of a bulk: an address with a query, or an object. */
function parametersIn(request: unknown): MatomoParameters {
  if (typeof request === 'string') return Object.fromEntries(pairsOf(request.slice(request.indexOf('?') + 1)));
  return Object.fromEntries(Object.entries(membersOf(request)).map(([name, value]) => [name, stringOf(value)]));
}

function pairsOf(text: string): [string, string][] {
  return [...new URLSearchParams(text)];
}
