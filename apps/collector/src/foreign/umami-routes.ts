import { HttpProblem, prepareProblem } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDomain, quietly } from '../hits/collecting.ts';
import { servePreflight } from '../hits/responses.ts';
import type { Outcome } from './collect-foreign.ts';
import type { ForeignContext } from './foreign-routes.ts';
import { parseJson, readRawBodies } from './raw-bodies.ts';
import { readUmamiHit } from './umami-hit.ts';

const BATCH_LIMIT = 1_048_576;
const MAX_HITS = 500;
const NO_ID = '00000000-0000-0000-0000-000000000000';
/** It tells nothing of the visitor. Umami 2 sends the whole response back in a header, so it is printable ASCII. */
const TAKEN = { cache: 'hitherto', sessionId: NO_ID, visitId: NO_ID };
const BOT = { beep: 'boop' };
const UNKNOWN = 'Website not found.';

type Text = { Body: string };

/** Requests of the trackers and server libraries of Umami 2 and 3 (docs/switch/umami.md). */
export function umamiRoutes(scope: FastifyInstance, context: ForeignContext): void {
  const { collect, websites, metrics } = context;
  const options = quietly(scope);
  scope.setErrorHandler((error, request, reply) => {
    const { code, status, detail } = prepareProblem(error, request, reply);
    metrics.hits.rejected(code);
    // Umami has no 413, 415 and 422.
    const known = status < 500 && ![401, 403, 429].includes(status) ? 400 : status;
    reply.code(known).send(errorOf(detail, known));
  });

  const send = async (body: unknown, request: FastifyRequest, reply: FastifyReply): Promise<Outcome> => {
    const { isCounted, ...hit } = readUmamiHit(body);
    if (!isCounted) {
      // No hit is collected, so probing for domains would go unnoticed.
      const isKnown = !isDomain(hit.website) && (await websites.findByIdOrAlias(hit.website)) !== undefined;
      return { outcome: isKnown ? 'counted' : 'unknown_website' };
    }
    const { outcomes } = await collect([hit], websites.findByIdOrAlias, request, reply);
    return outcomes[0] ?? { outcome: 'unknown_website' };
  };

  scope.register(async (single: FastifyInstance) => {
    readRawBodies(single, context.bodyLimit);
    servePreflight(single, '/api/send', ['POST'], '*');
    single.post<Text>('/api/send', options, async (request, reply) => {
      const outcome = await send(parseJson(request.body), request, reply);
      const fault = faultOf(outcome);
      if (fault !== undefined) return reply.code(400).send(errorOf(fault));
      return outcome.outcome === 'dropped' && outcome.reason === 'bot' ? BOT : TAKEN;
    });
  });

  scope.register(async (batches: FastifyInstance) => {
    readRawBodies(batches, BATCH_LIMIT);
    servePreflight(batches, '/api/batch', ['POST'], '*');
    batches.post<Text>('/api/batch', options, async (request, reply) => {
      const items = parseJson(request.body);
      if (!Array.isArray(items) || items.length > MAX_HITS) {
        throw new HttpProblem('bad_request', `The body must be a list of at most ${MAX_HITS} hits.`);
      }
      const read = items.map((item: unknown) => tryRead(item));
      const hits = read.flatMap((one) => ('isCounted' in one && one.isCounted ? [one] : []));
      const { outcomes } = await collect(hits, websites.findByIdOrAlias, request, reply);
      const left = [...outcomes];
      const faults = read.map((one) => {
        if (!('isCounted' in one)) return one.fault;
        const outcome = one.isCounted ? left.shift() : undefined;
        return outcome && faultOf(outcome);
      });
      const details = faults.flatMap((fault, index) =>
        fault === undefined ? [] : [{ index, response: errorOf(fault) }],
      );
      const processed = items.length - details.length;
      return { size: items.length, processed, errors: details.length, details, cache: TAKEN.cache };
    });
  });
}

function tryRead(item: unknown): ReturnType<typeof readUmamiHit> | { readonly fault: string } {
  try {
    return readUmamiHit(item);
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    return { fault: error.message };
  }
}

function faultOf(outcome: Outcome): string | undefined {
  if (outcome.outcome === 'unknown_website') return UNKNOWN;
  return outcome.outcome === 'invalid' ? outcome.fault : undefined;
}

function errorOf(message: string, status = 400) {
  return { error: { message, code: status === 400 ? 'bad-request' : 'error', status } };
}
