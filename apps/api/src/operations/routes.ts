import {
  exampleOf,
  HttpProblem,
  ignoreBodies,
  isForBrowser,
  type Lifecycle,
  type Metrics,
  PROBLEMS,
  type ProblemCode,
  problemResponses,
  requestIdHeader,
} from '@hitherto/http';
import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';

const tags = ['operations'];
const Status = Type.Object({ status: Type.Literal('ok') }, { examples: [{ status: 'ok' }] });
const Readiness = Type.Object(
  {
    status: Type.Literal('ok'),
    engine: Type.Optional(
      Type.Union([Type.Literal('ok'), Type.Literal('unavailable')], {
        description:
          'Of an engine outside of the database, if there is one. While it is unavailable, hits are stored, and statistics are 503.',
      }),
    ),
  },
  { examples: [{ status: 'ok' }] },
);

const ProblemPage = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String(),
    explanation: Type.String({ description: 'The problem, and how to fix it.' }),
  },
  {
    examples: [
      {
        type: '/problems/not_found',
        title: PROBLEMS.not_found.title,
        status: PROBLEMS.not_found.status,
        code: 'not_found',
        explanation: PROBLEMS.not_found.explanation,
      },
    ],
  },
);

const json = (description: string, schema: TSchema) => ({
  description,
  headers: requestIdHeader,
  content: { 'application/json': { schema, example: exampleOf(schema) } },
});

/** Explains a problem to a person, in a browser. */
export type SendExplanation = (problem: (typeof PROBLEMS)[ProblemCode], reply: FastifyReply) => FastifyReply;

/** Routes for operators and their tools, without a key and, except for /readyz, without the database. */
export function operationRoutes(
  app: FastifyInstance,
  deps: {
    lifecycle: Lifecycle;
    ping: () => Promise<void>;
    outside?: { readonly ping: () => Promise<void> };
    metrics: Metrics;
    sendExplanation?: SendExplanation;
  },
): void {
  ignoreBodies(app);
  const readMetrics = onceASecond(deps.metrics.text);
  const ok = { 200: json('Yes.', Status) };

  app.get(
    '/livez',
    {
      schema: {
        operationId: 'isLive',
        summary: 'Is the process alive?',
        description: 'Responds without the database.',
        tags,
        security: [],
        response: ok,
      },
    },
    async () => ({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'isReady',
        summary: 'Can requests be served?',
        description: '503 while the database is unreachable or not migrated yet, and once the service stops.',
        tags,
        security: [],
        response: { 200: json('Yes.', Readiness), ...problemResponses(503) },
      },
    },
    async () => {
      if (deps.lifecycle.isStopping) throw new HttpProblem('unavailable', 'The service is stopping.');
      const isReady = deps.lifecycle.isPrepared && (await isReached(deps.ping));
      if (!isReady) throw new HttpProblem('unavailable', 'The database is not ready.');
      if (deps.outside === undefined) return { status: 'ok' };
      return { status: 'ok', engine: (await isReached(deps.outside.ping)) ? 'ok' : 'unavailable' };
    },
  );

  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'readMetrics',
        summary: 'Metrics for Prometheus',
        description:
          'Metrics of the instance, at most a second old: with WORKERS, of all its workers. No label holds an account, a url or an IP address.',
        tags,
        security: [],
        response: {
          200: {
            description: 'The text format of Prometheus.',
            headers: requestIdHeader,
            content: { 'text/plain': { schema: Type.String(), example: '# TYPE process_cpu_seconds_total counter\n' } },
          },
        },
      },
    },
    async (_request, reply) => reply.type(deps.metrics.contentType).send(await readMetrics()),
  );

  app.get<{ Params: { code: string } }>(
    '/problems/:code',
    {
      schema: {
        operationId: 'explainProblem',
        summary: 'Explain a problem',
        description: 'The meaning of the `code` of an error, and how to fix it.',
        tags,
        security: [],
        params: Type.Object({ code: Type.String({ description: 'The `code` of a problem.' }) }),
        response: { 200: json('The explanation.', ProblemPage), ...problemResponses(404) },
      },
    },
    async (request, reply) => {
      const { code } = request.params;
      if (!isProblemCode(code)) throw new HttpProblem('not_found', 'No problem has this code.');
      if (deps.sendExplanation !== undefined && isForBrowser(request)) {
        return deps.sendExplanation(PROBLEMS[code], reply);
      }
      return { type: `/problems/${code}`, code, ...PROBLEMS[code] };
    },
  );
}

/** Reads at most once a second: without a key, anyone may ask, and the metrics take many milliseconds to write and to encode. */
function onceASecond(read: () => Promise<string>): () => Promise<Buffer> {
  let last: { readonly at: number; readonly bytes: Promise<Buffer> } | undefined;
  return () => {
    const at = performance.now();
    if (last === undefined || at - last.at > 1_000) last = { at, bytes: read().then((text) => Buffer.from(text)) };
    return last.bytes;
  };
}

function isReached(ping: () => Promise<void>): Promise<boolean> {
  return ping().then(
    () => true,
    () => false,
  );
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}
