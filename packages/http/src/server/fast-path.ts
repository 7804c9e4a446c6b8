import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { AddressOf } from '../limits/client-address.ts';
import type { TakenBodies } from '../problems/body-problems.ts';
import { HttpProblem } from '../problems/problems.ts';
import { decodeJson } from './bodies.ts';
import { newRequestId } from './connections.ts';
import type { Metrics } from './observability.ts';
import { asksForUpgrade, countHeaders, framingProblem, serverHeaders } from './request-checks.ts';

// Most requests are hits, and Fastify takes most of the time of a hit. So ordinary requests of some routes take a shorter way,
// from the server's socket to the face and back. Every other request, and every error, is Fastify's.

/** Who sent a request; Fastify's requests say it too. */
export interface Sender {
  /** `undefined` if the client has reset its connection. */
  readonly ip: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A POST route for JSON. It responds with 202 and no body, or with the problem of an error. */
export interface FastRoute {
  /** The bodies that the route's scope decodes. */
  readonly bodies: TakenBodies;
  /** The headers that the hooks of the route's scope set. */
  readonly headers: Readonly<Record<string, string>>;
  /** Takes a decoded body; resolves to further headers of the response. */
  readonly take: (body: object, sender: Sender) => Promise<Readonly<Record<string, string>>>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The routes with a fast path, by path. */
    readonly fastRoutes: Map<string, FastRoute>;
  }
}

/** Adds a route with a fast path, and the same route in Fastify, to a scope with `decodeJsonBodies`. */
export function addFastRoute(
  scope: FastifyInstance,
  path: string,
  route: FastRoute,
  options: { readonly logLevel?: 'error' },
): void {
  scope.fastRoutes.set(path, route);
  scope.post<{ Body: Record<string, unknown> }>(path, options, async (request, reply) => {
    const headers = await route.take(request.body, request);
    return reply.code(202).headers(headers).send();
  });
}

/** A request that Fastify goes on with: with the body, which has been read and may be malformed, or with the error. */
interface HandedOver {
  /** When the request began, on the monotonic clock. */
  readonly since: number;
  readonly body?: Buffer;
  readonly error?: unknown;
}

const handedOver = new WeakMap<IncomingMessage, HandedOver>();

/** When a request that took the fast path began, on the monotonic clock in milliseconds. */
export function beganAt(request: IncomingMessage): number | undefined {
  return handedOver.get(request)?.since;
}

/** The most requests that are taken in one turn of the event loop. */
const MOST_IN_A_TURN = 8;

interface FastPathDependencies {
  readonly metrics: Metrics;
  readonly addressOf: AddressOf;
}

/** Serves ordinary requests of the routes that `addFastRoute` adds. */
export function createFastPath({ metrics, addressOf }: FastPathDependencies) {
  const routes = new Map<string, FastRoute>();
  const inTurn = createTurns(MOST_IN_A_TURN);
  let isStopping = false;

  function serve(
    path: string,
    route: FastRoute,
    request: IncomingMessage,
    response: ServerResponse,
    rest: RequestListener,
  ) {
    const since = performance.now();
    const chunks: Buffer[] = [];
    const handOver = (what: Omit<HandedOver, 'since'>) => {
      handedOver.set(request, { since, ...what });
      rest(request, response);
    };

    async function take(): Promise<void> {
      const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      let body: object;
      try {
        body = decodeJson(bytes) ?? {};
      } catch {
        return handOver({ body: bytes });
      }
      try {
        const headers = await route.take(body, { ip: addressOf(request), headers: request.headers });
        // A list, because merging objects takes several times as long as all the rest of a response.
        const head: string[] = [];
        for (const some of [serverHeaders(newRequestId()), route.headers, headers]) {
          for (const [name, value] of Object.entries(some)) head.push(name, value);
        }
        response.writeHead(202, [...head, 'content-length', '0']).end();
      } catch (error) {
        return handOver({ error });
      }
      metrics.observe(path, 'POST', 202, performance.now() - since);
    }

    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => inTurn(take));
    // Node destroys a request right after its end, and then it has no more errors.
    request.on('error', (error) => handOver({ error }));
  }

  return {
    /** The server's listener: `rest` serves all other requests. */
    before:
      (rest: RequestListener): RequestListener =>
      (request, response) => {
        const { method, url = '' } = request;
        const route = method === 'POST' && !isStopping ? routes.get(url) : undefined;
        if (route !== undefined && isOrdinary(request, route)) serve(url, route, request, response, rest);
        else rest(request, response);
      },

    /** Lets Fastify go on with requests that have been handed over, and serve all requests of a stop. */
    attach(app: FastifyInstance): void {
      app.decorate('fastRoutes', routes);
      app.addHook('preClose', async () => {
        isStopping = true;
      });
      app.addHook('preParsing', (request, _reply, payload, done) => {
        const handed = handedOver.get(request.raw);
        if (handed === undefined) done(null, payload);
        else if (handed.body !== undefined) done(null, Readable.from([handed.body]));
        else done(handed.error instanceof Error ? handed.error : new HttpProblem('internal'));
      });
    },
  };
}

/** Whether nothing about the head of a request is special: then Fastify would call the handler with the decoded body. */
function isOrdinary(request: IncomingMessage, { bodies: { types, limit } }: FastRoute): boolean {
  const { headers } = request;
  return (
    Number(headers['content-length']) <= limit &&
    headers['content-encoding'] === undefined &&
    !asksForUpgrade(request) &&
    isOneOf(types, headers['content-type']) &&
    countHeaders(request, 'content-type') === 1 &&
    framingProblem(request) === undefined
  );
}

/** Whether a type is one of these, alone or with the charset that browsers add. */
function isOneOf(types: readonly string[], type = ''): boolean {
  return types.some((one) => type === one || (type.startsWith(one) && CHARSET.test(type.slice(one.length))));
}

const CHARSET = /^; ?charset=utf-8$/i;

/**
 * Runs tasks in the order in which they are given, after the input that has arrived, and no more than `most` in a turn of the
 * event loop: other requests get theirs in between.
 */
export function createTurns(most: number): (task: () => void) => void {
  let waiting: (() => void)[] = [];

  function turn(): void {
    const tasks = waiting;
    waiting = tasks.splice(most);
    if (waiting.length > 0) setImmediate(turn);
    for (const task of tasks) task();
  }

  return (task) => {
    if (waiting.push(task) === 1) setImmediate(turn);
  };
}
