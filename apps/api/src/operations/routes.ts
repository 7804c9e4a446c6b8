import { HttpProblem, ignoreBodies, type Metrics, PROBLEMS, type ProblemCode, problemResponses } from '@hitherto/http';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';

const tags = ['operations'];
const Status = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false });

const ProblemPage = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String(),
    explanation: Type.String({ description: 'What the problem is, and how to fix it.' }),
  },
  { additionalProperties: false },
);

/** Routes for operators and their tools, without a key and, except for /readyz, without the database. */
export function operationRoutes(
  app: FastifyInstance,
  deps: { isPrepared: () => boolean; isStopping: () => boolean; ping: () => Promise<void>; metrics: Metrics },
): void {
  ignoreBodies(app);
  const ok = { 200: { ...Status, description: 'Yes.' } };

  app.get(
    '/livez',
    { schema: { operationId: 'isLive', summary: 'Is the process alive?', tags, security: [], response: ok } },
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
        response: { ...ok, ...problemResponses(503) },
      },
    },
    async () => {
      if (deps.isStopping()) throw new HttpProblem('unavailable', 'The service is stopping.');
      const isReady = deps.isPrepared() && (await isReached(deps.ping));
      if (!isReady) throw new HttpProblem('unavailable', 'The database is not ready.');
      return { status: 'ok' };
    },
  );

  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'readMetrics',
        summary: 'Metrics for Prometheus',
        tags,
        security: [],
        response: {
          200: { description: 'The text format of Prometheus.', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) => reply.type(deps.metrics.contentType).send(await deps.metrics.text()),
  );

  app.get<{ Params: { code: string } }>(
    '/problems/:code',
    {
      schema: {
        operationId: 'explainProblem',
        summary: 'Explain a problem',
        tags,
        security: [],
        params: Type.Object({ code: Type.String({ description: 'The `code` of a problem.' }) }),
        response: { 200: { ...ProblemPage, description: 'The explanation.' }, ...problemResponses(404) },
      },
    },
    async (request) => {
      const { code } = request.params;
      if (!isProblemCode(code)) throw new HttpProblem('not_found', 'There is no problem with this code.');
      return { type: `/problems/${code}`, code, ...PROBLEMS[code] };
    },
  );
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
