import { UNRECORDED } from '@hitherto/domain/changes';
import { type OpenApiDocument, validatorsOf } from '@hitherto/testing/contract';
import { aWebsite } from '@hitherto/testing/fixtures';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveFaces } from './support/faces.ts';

// The whole document: the API's routes and those of the collector.

let faces: Awaited<ReturnType<typeof serveFaces>>;
let text: string;
let document: OpenApiDocument;
beforeAll(async () => {
  faces = await serveFaces(() => new Date('2026-11-20T12:00:00.000Z'));
  ({ text } = await faces.send('GET', '/openapi.json'));
  document = JSON.parse(text);
  await faces.repositories.websites.insert(faces.accountId, website, UNRECORDED);
});
afterAll(() => faces.app.close());

const COLLECTOR = ['/hits', '/hits.gif', '/api/event'];

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
}

/** The server itself sends those before the path is known. */
const isSentByFace = (status: string) => status !== '408' && status !== '431';

const website = aWebsite({
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10',
  url: 'https://example.com',
  excludedIps: [],
  excludeBots: false,
});

const operations = () =>
  COLLECTOR.flatMap((path) =>
    Object.entries(document.paths[path] ?? {}).map(([verb, operation]) => ({ name: `${verb} ${path}`, operation })),
  );

describe('GET /openapi.json', () => {
  test('a public linter finds nothing wrong with it', async () => {
    // Health, metrics and preflights have no 4xx response.
    const rules = { 'operation-4xx-response': 'off', 'operation-tag-defined': 'error' } as const;
    const config = await createConfig({ extends: ['recommended'], rules });

    const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });

    expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('has the operations of the collector with their preflights, without a key', () => {
    expect(operations().map(({ name }) => name)).toEqual([
      'post /hits',
      'options /hits',
      'get /hits.gif',
      'options /hits.gif',
      'head /hits.gif',
      'post /api/event',
      'options /api/event',
    ]);
    for (const { name, operation } of operations()) expect([name, operation.security]).toEqual([name, []]);
  });

  test('every response of the collector documents its CORS headers, and errors are problem details', () => {
    for (const { name, operation } of operations()) {
      for (const [status, { headers = {}, content }] of Object.entries(operation.responses)) {
        expect([name, status, Object.keys(headers)]).toEqual([
          name,
          status,
          expect.arrayContaining(['x-request-id', ...(isSentByFace(status) ? ['access-control-allow-origin'] : [])]),
        ]);
        if (Number(status) < 400 || name.startsWith('head')) continue;
        expect([name, status, Object.keys(content ?? {})]).toEqual([name, status, ['application/problem+json']]);
      }
    }
  });

  test('examples of bodies match their schemas, and the collector accepts them', async () => {
    const validatorAt = validatorsOf(document);

    for (const path of ['/hits', '/api/event']) {
      const content: Readonly<Record<string, Media>> = document.paths[path]?.post?.requestBody?.content ?? {};
      for (const [type, { example }] of Object.entries(content)) {
        const validate = validatorAt('paths', path, 'post', 'requestBody', 'content', type, 'schema');
        const { status } = await faces.send('POST', path, {
          payload: JSON.stringify(example),
          headers: { 'content-type': type },
        });

        expect([path, type, validate(example), status]).toEqual([path, type, true, 202]);
      }
    }
  });

  test('statuses and headers that the collector sends are documented', async () => {
    const hit = { website: 'x', url: 'https://example.com' };
    const sent = [
      ['POST', '/hits', 202, { ...hit, website: website.id }],
      ['POST', '/hits', 404, hit],
      ['POST', '/hits', 422, {}],
      ['POST', '/api/event', 404, { n: 'pageview', u: hit.url, d: 'x' }],
      ['GET', '/hits.gif?website=x&url=https://example.com', 404, undefined],
      ['GET', '/hits.gif?website=%zz', 400, undefined],
    ] as const;

    for (const [method, url, expected, body] of sent) {
      const { status, headers } = await faces.send(method, url, {
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        headers: body === undefined ? {} : { 'content-type': 'text/plain' },
      });
      const [path = ''] = url.split('?');
      const documented = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];

      expect([url, status]).toEqual([url, expected]);
      for (const name of Object.keys(headers).filter((header) => /^(?:access-control|hitherto|retry)/.test(header))) {
        expect([url, status, Object.keys(documented?.headers ?? {})]).toEqual([
          url,
          status,
          expect.arrayContaining([name]),
        ]);
      }
    }
  });
});
