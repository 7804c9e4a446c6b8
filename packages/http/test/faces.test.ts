import { expectServerHeaders } from '@hitherto/testing/contract';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMetrics, createServer, type Face, logRequests, prepareProblem, sendProblem } from '../src/index.ts';

/** A face that logs, and renders errors as problem details. */
const first: Face = {
  sendError: sendProblem,
  register(scope) {
    logRequests(scope);
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.header('x-first', 'yes');
      done();
    });
    scope.get('/first/:id', async () => ({ served: 'first' }));
  },
};

/** A face that is cached, and renders errors as HTML. */
const second: Face = {
  sendError(error, request, reply) {
    const { title } = prepareProblem(error, request, reply);
    reply.type('text/html; charset=utf-8').send(`<p>${title}</p>`);
  },
  register(scope) {
    scope.get('/second', async (_request, reply) => reply.header('cache-control', 'max-age=60').send('second'));
    scope.get('/second/broken', async () => {
      throw new Error('é 🦊');
    });
    scope.options('/second/open', async (_request, reply) => reply.code(204).header('x-own', 'yes').send());
    scope.get('/second/things/new', async () => 'new');
    scope.post('/second/things/:id', async () => 'changed');
    scope.post('/second/open', async (request) => ({ body: request.body ?? null }));
  },
};

async function serve(faces: readonly [Face, ...Face[]]) {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const app = await createServer({ logger, metrics: createMetrics(), trustedProxies: [] }, faces);
  onTestFinished(() => app.close());
  return { lines, ask: askerOf(app) };
}

function askerOf(app: FastifyInstance) {
  return async (method: NonNullable<InjectOptions['method']>, url: string, more: InjectOptions = {}) => {
    const { statusCode: status, headers, body: text } = await app.inject({ method, url, ...more });
    expectServerHeaders({ status, headers, text });
    return { status, headers, text };
  };
}

describe('Two faces on one server', () => {
  test('have headers, cache rules and log lines of their own', async () => {
    const { ask, lines } = await serve([first, second]);

    const one = await ask('GET', '/first/1');
    const logged = lines.length;
    const two = await ask('GET', '/second');

    expect([one.status, one.headers['x-first'], one.headers['cache-control']]).toEqual([200, 'yes', undefined]);
    expect([two.status, two.headers['x-first'], two.headers['cache-control']]).toEqual([200, undefined, 'max-age=60']);
    expect([logged, lines.length]).toEqual([1, 1]);
  });

  test('render the errors of their own routes, framing errors too, and errors are never cached', async () => {
    const { ask } = await serve([first, second]);

    const broken = await ask('GET', '/second/broken');
    const framing = await ask('GET', '/second', { headers: { host: 'a b' } });
    const problem = await ask('GET', '/first/1', { headers: { host: 'a b' } });

    for (const { headers, text } of [broken, framing]) {
      expect([headers['content-type'], headers['cache-control']]).toEqual(['text/html; charset=utf-8', 'no-store']);
      expect(text).toMatch(/^<p>/);
    }
    expect([broken.status, framing.status, problem.status]).toEqual([500, 400, 400]);
    expect(problem.headers['content-type']).toBe('application/problem+json');
    expect(broken.text).not.toContain('🦊');
  });

  test('render the 405 of their own paths', async () => {
    const { ask } = await serve([first, second]);

    const one = await ask('DELETE', '/first/1');
    const two = await ask('DELETE', '/second');

    expect([one.status, one.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(one.headers['content-type']).toBe('application/problem+json');
    expect([two.status, two.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(two.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test('refuse a method that only the pattern of another route has', async () => {
    const { ask } = await serve([first, second]);

    const post = await ask('POST', '/second/things/new');
    const put = await ask('PUT', '/second/things/new');
    const options = await ask('OPTIONS', '/second/things/new');

    for (const { headers } of [post, put, options]) expect(headers.allow).toBe('GET, HEAD, OPTIONS');
    expect([post.status, put.status, options.status]).toEqual([405, 405, 204]);
    expect((await ask('POST', '/second/things/1')).text).toBe('changed');
  });

  test('serve unknown and malformed paths that begin like theirs', async () => {
    const { ask } = await serve([first, second]);

    for (const path of ['/second/', '/second/nothing', '/second/%zz']) {
      const { status, headers } = await ask('GET', path);
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    }
    expect((await ask('GET', '/first/%zz')).headers['content-type']).toBe('application/problem+json');
  });

  test('serve unknown paths that begin like theirs after a second slash', async () => {
    const root: Face = { ...second, register: (scope) => void scope.get('/', async () => 'root') };
    const { ask } = await serve([first, root]);

    const [mistaken, none] = [await ask('GET', '//first/1'), await ask('GET', '//')];

    expect([mistaken.status, mistaken.headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect([none.status, none.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });

  test('leave other unknown paths to the first face, and OPTIONS to the server unless they serve it', async () => {
    const { ask } = await serve([first, second]);

    const unknown = await ask('GET', '/nothing/of/the/kind');
    const options = await ask('OPTIONS', '/second');
    const own = await ask('OPTIONS', '/second/open');

    expect([unknown.status, unknown.headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect([own.status, own.headers['x-own']]).toEqual([204, 'yes']);
  });

  test('get a body only if they ask for it', async () => {
    const { ask } = await serve([first, second]);

    const { status, text } = await ask('POST', '/second/open', { payload: { a: 1 } });

    expect([status, text]).toEqual([200, '{"body":null}']);
  });

  test('serve one spelling of a path', async () => {
    const { ask } = await serve([first, second]);

    const statuses = [];
    for (const url of ['/second/', '/%73econd', '/first/', '/Second']) statuses.push((await ask('GET', url)).status);

    expect(statuses).toEqual([404, 404, 404, 404]);
  });
});

test('A face alone serves its own unknown paths', async () => {
  const { ask } = await serve([second]);

  const { status, headers } = await ask('GET', '/nothing');

  expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
});
