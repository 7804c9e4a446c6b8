import { deflateRawSync, gzipSync } from 'node:zlib';
import type { OpenApiDocument, Operation } from './contract.ts';
import { anyString, anyValue, encode } from './fuzzed-values.ts';
import { oddJsonOf } from './odd-values.ts';
import type { Random } from './random.ts';

/** Paths that take the website away, or are about websites alone. */
const OF_WEBSITES = ['/api/v1/websites', '/api/v1/websites/{id}', '/websites/{id}/destroy'];
const ONE = '{id}';
const LINE =
  '{"time":"2026-01-02T12:00:00Z","visitor":"1","host":"example.com","page":"/","channel":"Direct","device":"tv"}';
const UMAMI = 'session_id,url_path,event_type,created_at\ns,/a,1,2026-01-02 12:00:00\n';
const JSON_TYPE = 'application/json';

/** A request near a valid one; the body of an import may be of bytes. */
export interface ResourceRequest {
  readonly method: string;
  readonly path: string;
  /** The path in the document. */
  readonly pattern: string;
  readonly sent: { readonly body?: string | Buffer; readonly headers?: Readonly<Record<string, string>> };
}

/** The ids that generated requests may use, by the name of the parameter: `id` is the website. Responses add to it. */
export type KnownIds = Map<string, string>;

/** Requests near the examples of the document, to everything that belongs to a website or an account. */
export function createFuzzedResources(document: OpenApiDocument) {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/') && !OF_WEBSITES.includes(path))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));

  return {
    /** A request; some of its ids are of nothing. */
    next(random: Random, ids: KnownIds): ResourceRequest {
      const { path: pattern, method, operation } = random.pick(operations as [Target, ...Target[]]);
      const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
        encode(random.below(8) === 0 ? anyString(random) : (ids.get(name) ?? anyString(random))),
      );
      const query = queryOf(random, document, operation, ids);
      return {
        pattern,
        method: method.toUpperCase(),
        path: query === '' ? path : `${path}?${query}`,
        sent: bodyOf(random, document, operation),
      };
    },

    /** Remembers the id of a created object. */
    learn(pattern: string, text: string, ids: KnownIds): void {
      const one = Object.keys(document.paths).find((path) => path.startsWith(`${pattern}/{`) && path.endsWith('}'));
      const [, name] = /\{(\w+)\}$/.exec(one ?? '') ?? [];
      const id: unknown = JSON.parse(text).data?.id;
      if (name !== undefined && name !== ONE && typeof id === 'string') ids.set(name, id);
    },
  };
}

interface Target {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function queryOf(random: Random, document: OpenApiDocument, { parameters = [] }: Operation, ids: KnownIds): string {
  const sent = parameters.filter((parameter) => parameter.in === 'query' && random.below(3) === 0);
  const pairs = sent.map(({ name, schema }) => {
    const value = random.below(3) === 0 ? anyString(random) : (exampleOf(random, document, schema) ?? ids.get(name));
    return `${encode(name)}=${encode(String(value ?? anyString(random)))}`;
  });
  return pairs.join('&');
}

function bodyOf(random: Random, document: OpenApiDocument, { requestBody }: Operation): ResourceRequest['sent'] {
  const content = requestBody?.content;
  if (content === undefined) return {};
  const schema = content[JSON_TYPE]?.schema;
  if (schema === undefined) return { body: fileOf(random), headers: { 'content-type': 'application/octet-stream' } };
  const example = exampleOf(random, document, schema);
  const text = oddJsonOf(random.below(10) === 0 ? anyValue(random, 3) : mutated(random, example));
  const body = random.below(20) === 0 ? text.slice(0, random.below(text.length)) : text;
  return { body, headers: { 'content-type': JSON_TYPE } };
}

/** A value that the schema names, if it names any. */
function exampleOf(random: Random, document: OpenApiDocument, schema: object): unknown {
  const { $ref, examples, enum: values, default: byDefault } = schema as Schema;
  if ($ref !== undefined) {
    const named = document.components.schemas[$ref.split('/').pop() ?? ''];
    return named === undefined ? undefined : exampleOf(random, document, named);
  }
  const [first, ...others] = [...(examples ?? []), ...(values ?? [])];
  return first === undefined ? byDefault : random.pick([first, ...others]);
}

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
}

/** The same value with some of its parts replaced, left out, repeated or added. */
function mutated(random: Random, value: unknown): unknown {
  if (random.below(12) === 0) return anyValue(random, 2);
  if (Array.isArray(value)) {
    return value.flatMap((item) =>
      Array.from({ length: [1, 1, 1, 1, 0, 2][random.below(6)] ?? 1 }, () => mutated(random, item)),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .filter(() => random.below(8) > 0)
    .map(([name, inner]) => [name, mutated(random, inner)]);
  if (random.below(10) === 0) members.push([anyString(random), anyValue(random, 1)]);
  return Object.fromEntries(members);
}

/** A file to import: a valid one, or one that begins like it. HTTP sends it as it is. */
export function fileOf(random: Random): string | Buffer {
  const noise = Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)));
  const files = [
    () => `${LINE.replace('"1"', `"${random.below(9)}"`)}\n`,
    () => `{"format":"hitherto","version":1}\n${anyString(random)}\n${LINE}\n`,
    () => UMAMI + anyString(random),
    () => `[{"idVisit":1,"actionDetails":[${oddJsonOf(anyValue(random, 3))}]}]`,
    () => gzipSync(LINE),
    () => Buffer.concat([gzipSync(LINE).subarray(0, 20), noise]),
    () => Buffer.concat([Buffer.from('PK\u0003\u0004'), noise, deflateRawSync(UMAMI)]),
    () => noise,
    () => anyString(random),
  ] as const;
  return random.pick(files)();
}
