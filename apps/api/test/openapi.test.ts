import { PROBLEMS } from '@hitherto/http';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// api.md, "Operations": GET /openapi.json (OpenAPI 3.1, made from the schemas that validate).

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];
const operations = () =>
  Object.entries(api.document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs)
      .filter(([verb]) => VERBS.includes(verb))
      .map(([verb, operation]) => ({ name: `${verb} ${path}`, operation })),
  );

describe('GET /openapi.json (OpenAPI 3.1)', () => {
  test('a public linter finds nothing wrong with it', async () => {
    // Health and metrics have no 4xx response.
    const config = await createConfig({ extends: ['recommended'], rules: { 'operation-4xx-response': 'off' } });

    const found = await lintFromString({
      source: JSON.stringify(api.document),
      absoluteRef: 'openapi.json',
      config,
    });

    const told = found.map(({ ruleId, severity, message, location }) => {
      return `${severity} ${ruleId}: ${message} at ${location.map((place) => place.pointer).join(' ')}`;
    });
    expect(told).toEqual([]);
  });

  test('it is serialised once, however often it is requested', async () => {
    await api.send('GET', '/openapi.json', { key: null });
    const write = vi.spyOn(JSON, 'stringify');

    const again = await api.send('GET', '/openapi.json', { key: null });

    const written = write.mock.results.map(({ value }) => value).filter((text) => String(text).includes('"openapi"'));
    write.mockRestore();
    expect(again.status).toBe(200);
    expect(written.length).toBe(0);
  });

  test('it is OpenAPI 3.1, and names its version, licence and servers', () => {
    expect(api.document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d$/),
      info: { title: 'Hitherto', version: '0.0.0-test', license: { name: 'MIT' } },
      servers: [{ url: '/' }],
    });
  });

  test('it has every operation, each with a unique id and a summary', () => {
    const all = operations();
    const ids = all.map(({ operation }) => operation.operationId);

    expect(all.map(({ name }) => name).sort()).toEqual([
      'delete /api/v1/webhooks/{webhook_id}',
      'delete /api/v1/websites/{id}',
      'delete /api/v1/websites/{id}/alerts/{alert_id}',
      'delete /api/v1/websites/{id}/annotations/{annotation_id}',
      'delete /api/v1/websites/{id}/cleanups/{cleanup_id}',
      'delete /api/v1/websites/{id}/funnels/{funnel_id}',
      'delete /api/v1/websites/{id}/goals/{goal_id}',
      'delete /api/v1/websites/{id}/imports/{import_id}',
      'delete /api/v1/websites/{id}/links/{link_id}',
      'delete /api/v1/websites/{id}/recipients/{recipient_id}',
      'delete /api/v1/websites/{id}/segments/{segment_id}',
      'delete /websites/{id}/destroy',
      'get /api/v1/audit',
      'get /api/v1/brand',
      'get /api/v1/overview',
      'get /api/v1/stats/{id}',
      'get /api/v1/webhooks',
      'get /api/v1/webhooks/{webhook_id}',
      'get /api/v1/webhooks/{webhook_id}/deliveries',
      'get /api/v1/websites',
      'get /api/v1/websites/{id}',
      'get /api/v1/websites/{id}/alerts',
      'get /api/v1/websites/{id}/alerts/{alert_id}',
      'get /api/v1/websites/{id}/annotations',
      'get /api/v1/websites/{id}/cleanups',
      'get /api/v1/websites/{id}/cleanups/{cleanup_id}',
      'get /api/v1/websites/{id}/coverage',
      'get /api/v1/websites/{id}/coverage/{coverage_id}',
      'get /api/v1/websites/{id}/findings',
      'get /api/v1/websites/{id}/findings/{finding_id}',
      'get /api/v1/websites/{id}/funnels',
      'get /api/v1/websites/{id}/funnels/{funnel_id}',
      'get /api/v1/websites/{id}/goals',
      'get /api/v1/websites/{id}/goals/{goal_id}',
      'get /api/v1/websites/{id}/imports',
      'get /api/v1/websites/{id}/imports/{import_id}',
      'get /api/v1/websites/{id}/links',
      'get /api/v1/websites/{id}/page-rules',
      'get /api/v1/websites/{id}/recipients',
      'get /api/v1/websites/{id}/segments',
      'get /api/v1/websites/{id}/segments/{segment_id}',
      'get /api/v1/websites/{id}/statistics',
      'get /api/v1/websites/{id}/statistics/by/property',
      'get /api/v1/websites/{id}/statistics/by/{dimension}',
      'get /api/v1/websites/{id}/statistics/change',
      'get /api/v1/websites/{id}/statistics/crawlers',
      'get /api/v1/websites/{id}/statistics/crawlers/by/{dimension}',
      'get /api/v1/websites/{id}/statistics/crawlers/series',
      'get /api/v1/websites/{id}/statistics/current',
      'get /api/v1/websites/{id}/statistics/dropped',
      'get /api/v1/websites/{id}/statistics/funnels/{funnel_id}',
      'get /api/v1/websites/{id}/statistics/goals',
      'get /api/v1/websites/{id}/statistics/series',
      'get /livez',
      'get /metrics',
      'get /problems/{code}',
      'get /readyz',
      'patch /api/v1/brand',
      'patch /api/v1/webhooks/{webhook_id}',
      'patch /api/v1/websites/{id}',
      'patch /api/v1/websites/{id}/alerts/{alert_id}',
      'patch /api/v1/websites/{id}/annotations/{annotation_id}',
      'patch /api/v1/websites/{id}/cleanups/{cleanup_id}',
      'patch /api/v1/websites/{id}/funnels/{funnel_id}',
      'patch /api/v1/websites/{id}/goals/{goal_id}',
      'patch /api/v1/websites/{id}/segments/{segment_id}',
      'post /api/v1/hits',
      'post /api/v1/webhooks',
      'post /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
      'post /api/v1/webhooks/{webhook_id}/test',
      'post /api/v1/websites',
      'post /api/v1/websites/{id}/alerts',
      'post /api/v1/websites/{id}/annotations',
      'post /api/v1/websites/{id}/cleanups',
      'post /api/v1/websites/{id}/cleanups/preview',
      'post /api/v1/websites/{id}/cleanups/{cleanup_id}/erase',
      'post /api/v1/websites/{id}/coverage',
      'post /api/v1/websites/{id}/explain',
      'post /api/v1/websites/{id}/findings/{finding_id}/dismiss',
      'post /api/v1/websites/{id}/funnels',
      'post /api/v1/websites/{id}/goals',
      'post /api/v1/websites/{id}/imports',
      'post /api/v1/websites/{id}/links',
      'post /api/v1/websites/{id}/recipients',
      'post /api/v1/websites/{id}/segments',
      'post /api/v1/websites/{id}/settings/preview',
      'put /api/v1/websites/{id}',
      'put /api/v1/websites/{id}/page-rules',
    ]);
    for (const id of ids) expect(id).toMatch(/^[a-z]\w+$/i);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of all) expect(operation.summary).toMatch(/\S/);
  });

  test('operations on an account need a key, the others do not', () => {
    for (const { name, operation } of operations()) {
      expect([name, operation.security]).toEqual([
        name,
        name.includes('/api/v1/') || name.includes('websites') ? undefined : [],
      ]);
    }
    expect(api.document).toMatchObject({
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    });
  });

  test('each operation on websites lists its problems and their headers', () => {
    for (const { name, operation } of operations().filter((each) => each.name.includes('websites'))) {
      const { responses } = operation;
      for (const status of ['400', '401', '403', '422', '429', '500', '503']) {
        expect([name, Object.keys(responses[status]?.content ?? {})]).toEqual([name, ['application/problem+json']]);
      }
      expect(Object.keys(responses['401']?.headers ?? {})).toContain('www-authenticate');
      expect(Object.keys(responses['403']?.headers ?? {})).toContain('www-authenticate');
      for (const status of ['429', '503'])
        expect(Object.keys(responses[status]?.headers ?? {})).toContain('retry-after');
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        expect([name, status, Object.keys(headers)]).toEqual([name, status, expect.arrayContaining(['x-request-id'])]);
      }
    }
  });

  test('it lists every problem code', () => {
    expect(api.document.components.schemas.Problem).toMatchObject({
      properties: { code: { enum: Object.keys(PROBLEMS) } },
    });
  });

  test('create and update take both media types, with the fields of the specification, and those that came later', () => {
    const fields = [
      'url',
      'privacy',
      'password',
      'email',
      'report',
      'exclude_bots',
      'exclude_params',
      'page_rules',
      'exclude_ips',
      'time_zone',
      'aliases',
      'embed_origins',
      'label',
      'language',
      'engagement',
    ];
    const { schemas } = api.document.components;

    for (const name of ['CreateWebsiteForm', 'CreateWebsiteJson', 'UpdateWebsiteForm', 'UpdateWebsiteJson']) {
      const schema = schemas[name] as { properties: object; required?: string[]; additionalProperties: boolean };
      expect(Object.keys(schema.properties)).toEqual(fields);
      expect(schema.required ?? []).toEqual(name.startsWith('Create') ? ['url'] : []);
      expect(schema.additionalProperties).toBe(false);
      expect(JSON.stringify(schema)).not.toContain('"default"');
    }
    for (const { name, operation } of operations().filter((each) =>
      /^(?:post|put|patch) .*websites(?:$|\/\{id\}$)/.test(each.name),
    )) {
      expect([name, Object.keys(operation.requestBody?.content ?? {}).sort()]).toEqual([
        name,
        ['application/json', 'application/x-www-form-urlencoded'],
      ]);
    }
  });

  test('the list has its four parameters, and each route its headers', () => {
    const parameters = (path: string, verb: string) =>
      (api.document.paths[path]?.[verb]?.parameters ?? [])
        .map((parameter) => `${parameter.in} ${parameter.name}`)
        .sort();

    expect(parameters('/api/v1/websites', 'get')).toEqual([
      'query cursor',
      'query per_page',
      'query search',
      'query sort',
    ]);
    expect(parameters('/api/v1/websites', 'post')).toEqual(['header idempotency-key']);
    expect(parameters('/api/v1/websites/{id}', 'get')).toEqual(['header if-none-match', 'path id']);
    for (const verb of ['put', 'patch', 'delete']) {
      expect(parameters('/api/v1/websites/{id}', verb)).toEqual(['header if-match', 'path id']);
    }
    expect(parameters('/websites/{id}/destroy', 'delete')).toEqual(['header if-match', 'path id']);
  });
});
