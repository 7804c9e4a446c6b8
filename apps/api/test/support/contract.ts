import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';

/** The parts of an OpenAPI document that the tests look at. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly content?: Readonly<Record<string, object>> }>
  >;
}

/** What is checked of an answer, whichever way it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
}

/** Checks an answer against the document of the app that gave it. */
export type Contract = (method: string, path: string, answer: RawAnswer) => void;

const seenRequestIds = new Set<string>();
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What every answer carries, and what none does (decisions.md, "Errors"). */
export function expectCommonHeaders({ status, headers, text }: RawAnswer): void {
  const id = String(headers['x-request-id']);
  expect(id).toMatch(UUID);
  expect(seenRequestIds.has(id), `the request id ${id} came twice`).toBe(false);
  seenRequestIds.add(id);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers).not.toHaveProperty('server');
  expect(headers).not.toHaveProperty('x-powered-by');
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  if (status === 429 || status === 503) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  if (status === 401) expect(headers['www-authenticate']).toMatch(/^Bearer realm="hitherto"/);
  if (status === 405) expect(headers.allow).toMatch(/^[A-Z]+(?:, [A-Z]+)*$/);
  if (status >= 400 && text !== '') {
    expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(text)).toMatchObject({ status, request_id: id });
  }
}

/** The document that the app serves. */
export async function documentOf(app: FastifyInstance): Promise<OpenApiDocument> {
  const { body } = await app.inject({ method: 'GET', url: '/openapi.json' });
  const document: OpenApiDocument = JSON.parse(body);
  return document;
}

/** The contract that the document states. Its schemas are compiled once each. */
export function contractOf(document: OpenApiDocument): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (...path: string[]) => {
    const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` });
    compiled.set(pointer, validate);
    return validate;
  };

  return (method, path, answer) => {
    expectCommonHeaders(answer);
    const type = String(answer.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    const operation = operationAt(document, method, path);
    if (method === 'HEAD' || answer.text === '') {
      expect(answer.text).toBe('');
    } else if (answer.status >= 400) {
      expectValid(validatorAt('components', 'schemas', 'Problem'), answer);
    }
    if (operation === undefined) return;
    const [pattern, verb] = operation;
    const responses = document.paths[pattern]?.[verb]?.responses ?? {};
    expect(Object.keys(responses), `${method} ${pattern} answers ${answer.text}`).toContain(String(answer.status));
    const content = responses[String(answer.status)]?.content;
    if (content === undefined || method === 'HEAD') {
      if (content === undefined) expect(answer.text).toBe('');
      return;
    }
    expect(Object.keys(content)).toContain(type);
    if (type.endsWith('json')) {
      expectValid(
        validatorAt('paths', pattern, verb, 'responses', String(answer.status), 'content', type, 'schema'),
        answer,
      );
    }
  };
}

function expectValid(validate: ValidateFunction, answer: RawAnswer): void {
  const isValid = validate(JSON.parse(answer.text));
  expect(validate.errors ?? [], answer.text).toEqual([]);
  expect(isValid).toBe(true);
}

/** The documented path and method of a request, if any. */
function operationAt(document: OpenApiDocument, method: string, path: string): [string, string] | undefined {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const parts = (path.split('?', 1)[0] ?? '').split('/');
  for (const [pattern, operations] of Object.entries(document.paths)) {
    const wanted = pattern.split('/');
    const fits =
      wanted.length === parts.length &&
      wanted.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]));
    if (fits && operations[verb] !== undefined) return [pattern, verb];
  }
  return undefined;
}
