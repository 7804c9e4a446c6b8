import { validatorsOf } from '@hitherto/testing/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from './support/api.ts';

// What the document says about responses and operations.

let api: Api;
let validatorAt: ReturnType<typeof validatorsOf>;
beforeAll(async () => {
  api = await startApi();
  validatorAt = validatorsOf(api.document);
});
afterAll(() => api.app.close());

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

const operations = () =>
  Object.entries(api.document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation, name: `${verb} ${path}` })),
  );

const responses = () =>
  operations().flatMap(({ path, verb, name, operation }) =>
    Object.entries(operation.responses).map(([status, { headers = {}, content = {} }]) => ({
      name: `${name} ${status}`,
      pointer: ['paths', path, verb, 'responses', status, 'content'],
      needsKey: operation.security === undefined,
      status,
      headers: Object.keys(headers),
      content: content as Readonly<Record<string, Media>>,
    })),
  );

const contents = () =>
  responses().flatMap(({ name, pointer, content }) =>
    Object.entries(content).map(([type, media]) => ({
      name: `${name} ${type}`,
      validate: validatorAt(...pointer, type, 'schema'),
      examples:
        media.examples === undefined ? [media.example] : Object.values(media.examples).map(({ value }) => value),
    })),
  );

/** The value with one more field in each of its objects; filters are a map, whose fields are data. */
function withMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMembers);
  if (typeof value !== 'object' || value === null) return value;
  return {
    ...Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, name === 'filters' ? member : withMembers(member)]),
    ),
    added_in_v1: 'é 🦊',
  };
}

describe('Every response', () => {
  test('has examples that match its schema', () => {
    for (const { name, examples, validate } of contents()) {
      expect([name, examples.length > 0 && examples.every((example) => validate(example))]).toEqual([name, true]);
    }
  });

  test('has a schema that accepts one more field in each object', () => {
    for (const { name, examples, validate } of contents()) {
      const accepted = examples.map((example) => validate(withMembers(example)));

      expect([name, accepted]).toEqual([name, examples.map(() => true)]);
    }
  });

  test('documents the RateLimit headers, unless it is sent before the account is known', () => {
    for (const { name, status, needsKey, headers } of responses()) {
      const expected = needsKey && !['401', '408', '431'].includes(status) ? ['ratelimit', 'ratelimit-policy'] : [];

      expect([name, headers.filter((header) => header.startsWith('ratelimit'))]).toEqual([name, expected]);
    }
  });

  test('has only documented headers when there is a rate limit', async () => {
    const limited = await startApiForTest({ rateLimitPerMinute: 600 });
    const { id } = await limited.createWebsite({ url: 'https://allowance.example' });
    const statuses = [
      await limited.send('GET', `/api/v1/websites/${id}`),
      await limited.send('HEAD', `/api/v1/websites/${id}`),
      await limited.send('GET', `/api/v1/websites/${id}?x=1`),
      await limited.send('GET', '/api/v1/websites/x'),
      await limited.send('GET', '/api/v1/websites?search=%'),
      await limited.send('POST', '/api/v1/websites', { json: { url: 'https://allowance.example' } }),
      await limited.send('POST', '/api/v1/websites', { headers: { 'content-type': 'text/plain' }, body: 'x' }),
      await limited.send('DELETE', `/api/v1/websites/${id}`, { headers: { 'if-match': '"x"' } }),
    ].map(({ status, headers }) => [status, headers.ratelimit !== undefined]);

    // `send` compares each header with the document.
    expect(statuses).toEqual([200, 200, 422, 404, 400, 409, 415, 412].map((status) => [status, true]));
  });
});

describe('Every operation', () => {
  test('has a description', () => {
    for (const { name, operation } of operations()) {
      expect([name, operation.description]).toEqual([name, expect.stringMatching(/\.$/)]);
    }
  });

  test('has a HEAD if it is a GET, with the same parameters and headers and no content', () => {
    for (const [path, { get, head }] of Object.entries(api.document.paths)) {
      if (get === undefined) continue;
      expect([path, head?.operationId]).toEqual([path, `${get.operationId}Head`]);
      expect(head?.parameters).toEqual(get.parameters);
      expect(Object.keys(head?.responses ?? {})).toEqual(Object.keys(get.responses));
      for (const [status, response] of Object.entries(head?.responses ?? {})) {
        expect(response.headers).toEqual(get.responses[status]?.headers);
        expect(response.content).toBeUndefined();
      }
    }
  });

  test('requires a body only if it needs one', () => {
    const required = operations().flatMap(({ name, operation: { requestBody } }) =>
      requestBody === undefined ? [] : [[name, requestBody.required]],
    );

    expect(required.sort()).toEqual([
      ['patch /api/v1/brand', false],
      ['patch /api/v1/webhooks/{webhook_id}', false],
      ['patch /api/v1/websites/{id}', false],
      ['patch /api/v1/websites/{id}/alerts/{alert_id}', false],
      ['patch /api/v1/websites/{id}/annotations/{annotation_id}', false],
      ['patch /api/v1/websites/{id}/cleanups/{cleanup_id}', false],
      ['patch /api/v1/websites/{id}/funnels/{funnel_id}', false],
      ['patch /api/v1/websites/{id}/goals/{goal_id}', false],
      ['patch /api/v1/websites/{id}/segments/{segment_id}', false],
      ['post /api/v1/hits', true],
      ['post /api/v1/webhooks', true],
      ['post /api/v1/websites', true],
      ['post /api/v1/websites/{id}/alerts', true],
      ['post /api/v1/websites/{id}/annotations', true],
      ['post /api/v1/websites/{id}/cleanups', true],
      ['post /api/v1/websites/{id}/cleanups/preview', true],
      ['post /api/v1/websites/{id}/coverage', true],
      ['post /api/v1/websites/{id}/explain', true],
      ['post /api/v1/websites/{id}/funnels', true],
      ['post /api/v1/websites/{id}/goals', true],
      ['post /api/v1/websites/{id}/imports', true],
      ['post /api/v1/websites/{id}/links', true],
      ['post /api/v1/websites/{id}/recipients', true],
      ['post /api/v1/websites/{id}/segments', true],
      ['post /api/v1/websites/{id}/settings/preview', false],
      ['put /api/v1/websites/{id}', false],
      ['put /api/v1/websites/{id}/page-rules', true],
    ]);
  });

  test('says that its cursor is opaque, and how long its Idempotency-Key may be', () => {
    const parameters = operations().flatMap(({ operation }) => operation.parameters ?? []);
    const cursors = parameters.filter(({ name }) => name === 'cursor');
    const keys = parameters.filter(({ name }) => name === 'idempotency-key');

    expect([cursors.length, keys.length]).toEqual([12, 7]);
    for (const cursor of cursors) expect(cursor).toMatchObject({ description: expect.stringMatching(/^Opaque/) });
    for (const { schema } of keys) expect(schema).toMatchObject({ minLength: 1, maxLength: 255 });
  });
});

test('an update without a body changes nothing', async () => {
  const website = await api.createWebsite();

  const response = await api.send('PATCH', `/api/v1/websites/${website.id}`);

  expect(response.website()).toEqual(website);
});

test('the document names a contact', () => {
  expect(api.document).toMatchObject({ info: { contact: { name: expect.stringMatching(/\S/) } } });
});
