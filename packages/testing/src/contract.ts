// Plain assertions: richer ones would take most of the time of a suite with thousands of responses.
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** The parts of an OpenAPI document that the tests use. */
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
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly content?: Readonly<Record<string, object>> }>
  >;
}

/** The parts of a response that are checked. */
interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
}

/** Checks a response against the OpenAPI document of its app. */
export type Contract = (method: string, path: string, response: RawResponse) => void;

const seenRequestIds = new Set<string>();
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Checks the headers of every response of every face (api.md, "Errors"). */
export function expectServerHeaders({ status, headers }: RawResponse): void {
  const id = String(headers['x-request-id']);
  assert.match(id, UUID);
  assert.ok(!seenRequestIds.has(id), `the request id ${id} came twice`);
  seenRequestIds.add(id);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  for (const name of ['server', 'x-powered-by']) assert.equal(headers[name], undefined, name);
  if (status >= 400) assert.equal(headers['cache-control'], 'no-store');
  if (status === 429 || status === 503) assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
  if (status === 401) assert.match(String(headers['www-authenticate']), /^Bearer realm="hitherto"/);
  if (status === 405) assert.match(String(headers.allow), /^[A-Z]+(?:, [A-Z]+)*$/);
}

/** Checks the headers of API responses too: only fixed content, which has a weak tag, is cached; no CORS, and errors are problem details. */
export function expectApiHeaders(response: RawResponse): void {
  expectServerHeaders(response);
  const { status, headers, text } = response;
  assert.equal(headers['cache-control'], String(headers.etag).startsWith('W/') ? 'no-cache' : 'no-store');
  for (const name of Object.keys(headers)) assert.ok(!name.startsWith('access-control-'), name);
  if (status >= 400 && text !== '') {
    assert.match(String(headers['content-type']), /^application\/problem\+json/);
    const told: { status?: unknown; request_id?: unknown } = JSON.parse(text);
    assert.deepEqual([told.status, told.request_id], [status, headers['x-request-id']]);
  }
}

/** Headers that the document has for every response that is sent with them. */
const DOCUMENTED_HEADERS = [
  'etag',
  'idempotent-replayed',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-request-id',
];

/** The API's contract from its OpenAPI document. */
export function contractOf(document: OpenApiDocument): Contract {
  const validatorAt = validatorsOf(document);

  return (method, path, response) => {
    const type = String(response.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    // The pages render their errors as HTML.
    if (type === 'text/html' && response.status >= 400 && !path.startsWith('/api/')) {
      expectServerHeaders(response);
      return;
    }
    expectApiHeaders(response);
    const operation = operationAt(document, method, path);
    if (method === 'HEAD' || response.text === '') {
      assert.equal(response.text, '');
    } else if (response.status >= 400) {
      expectValid(validatorAt('components', 'schemas', 'Problem'), response);
    }
    if (operation === undefined) return;
    const [pattern, verb] = operation;
    const responses = document.paths[pattern]?.[verb]?.responses ?? {};
    assert.ok(Object.hasOwn(responses, String(response.status)), `${method} ${pattern} responds with ${response.text}`);
    const { headers = {}, content } = responses[String(response.status)] ?? {};
    for (const name of DOCUMENTED_HEADERS) {
      if (response.headers[name] === undefined) continue;
      assert.ok(
        Object.hasOwn(headers, name),
        `${method} ${pattern} ${response.status} has ${name}, which is not documented`,
      );
    }
    if (content === undefined || method === 'HEAD') {
      if (content === undefined) assert.equal(response.text, '');
      return;
    }
    assert.ok(Object.hasOwn(content, type), `${method} ${pattern} responds with ${type}`);
    if (type.endsWith('json')) {
      expectValid(
        validatorAt('paths', pattern, verb, 'responses', String(response.status), 'content', type, 'schema'),
        response,
      );
    }
  };
}

/** Compiles the schemas of a document by their path, such as `'components', 'schemas', 'Problem'`; each once. */
export function validatorsOf(document: OpenApiDocument): (...path: string[]) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  return (...path: string[]) => {
    // Hundreds of responses refer to the same few schemas.
    const pointer = referenceAt(document, path) ?? `#/${path.map(escapedName).join('/')}`;
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` });
    compiled.set(pointer, validate);
    return validate;
  };
}

/** The schema that the one at this path refers to, if it is nothing but a reference. */
function referenceAt(document: OpenApiDocument, path: readonly string[]): string | undefined {
  let value: unknown = document;
  for (const name of path) value = Object(value)[name];
  const { $ref, ...others }: Record<string, unknown> = Object(value);
  return typeof $ref === 'string' && $ref.startsWith('#/') && Object.keys(others).length === 0 ? $ref : undefined;
}

function escapedName(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function expectValid(validate: ValidateFunction, response: RawResponse): void {
  assert.ok(validate(JSON.parse(response.text)), `${response.text} has faults: ${JSON.stringify(validate.errors)}`);
}

/** Whether a segment reaches the service: clients resolve those of one or two dots. */
function isValue(segment = ''): boolean {
  return !/^(\.|%2e){0,2}$/i.test(segment);
}

/** The documented path and method of a request, if any. */
function operationAt(document: OpenApiDocument, method: string, path: string): [string, string] | undefined {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const parts = (path.split('?', 1)[0] ?? '').split('/');
  for (const [pattern, operations] of Object.entries(document.paths)) {
    const wanted = pattern.split('/');
    const fits =
      wanted.length === parts.length &&
      wanted.every((part, index) => (part.startsWith('{') ? isValue(parts[index]) : part === parts[index]));
    if (fits && operations[verb] !== undefined) return [pattern, verb];
  }
  return undefined;
}
