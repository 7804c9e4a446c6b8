import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type TakenBodies, unsupportedType } from '../problems/body-problems.ts';
import { HttpProblem } from '../problems/problems.ts';
import { countHeaders, discardBody, type UndecodedQuery } from './request-checks.ts';

/** The most bytes of a body. */
export const BODY_LIMIT = 1_048_576;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MAX_PAIRS = 64;
/** The most levels of a JSON body, so that whatever reads it or repeats it may recurse. */
const MAX_DEPTH = 64;

/** Decoded names and values; a repeated name has an array, which no schema accepts. */
export type Pairs = Record<string, string | string[]>;

/**
 * Decodes bodies of the two media types for the routes of this scope, and rejects all others (api.md, "Bodies").
 * Bodies of GET, HEAD and DELETE are ignored, and so is their type.
 */
export function decodeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.register(formbody, { parser: decodeForm, bodyLimit: BODY_LIMIT });
  addJsonParser(app, ['application/json'], BODY_LIMIT);
  checkBodies(app, { types: [FORM_TYPE, 'application/json'], limit: BODY_LIMIT });
}

/** Decodes forms for the routes of this scope, and rejects all other bodies, so that every field is a string. */
export function decodeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.register(formbody, { parser: decodeForm, bodyLimit: BODY_LIMIT });
  checkBodies(app, { types: [FORM_TYPE], limit: BODY_LIMIT });
}

/**
 * Decodes bodies of these media types as JSON, for the routes of this scope, and rejects all other types.
 *
 * @param bodyLimit the most bytes of a body
 */
export function decodeJsonBodies(app: FastifyInstance, types: readonly string[], bodyLimit: number): void {
  app.removeAllContentTypeParsers();
  addJsonParser(app, types, bodyLimit);
  checkBodies(app, { types, limit: bodyLimit });
}

function addJsonParser(app: FastifyInstance, types: readonly string[], bodyLimit: number): void {
  app.addContentTypeParser([...types], { parseAs: 'buffer', bodyLimit }, (_request, body, done) => {
    try {
      done(null, decodeJson(Buffer.from(body)));
    } catch (error) {
      done(error instanceof Error ? error : new HttpProblem('bad_request'));
    }
  });
}

function checkBodies(app: FastifyInstance, takenBodies: TakenBodies): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, takenBodies };
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (bodyIsIgnored(request)) done(null);
    else if (hasTwoTypes(request))
      done(new HttpProblem('bad_request', 'The request has two Content-Types, or two charsets.'));
    else done(hasReadableType(request) ? null : unsupportedType(request));
  });
  // A request without a body is like an empty object.
  app.addHook('preValidation', (request, _reply, done) => {
    request.body ??= {};
    done();
  });
}

/** Ignores the bodies of requests of this scope, whatever their content type. */
export function ignoreBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type'];
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', discardBody);
}

function bodyIsIgnored({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE';
}

function hasTwoTypes(request: FastifyRequest): boolean {
  const charsets = request.headers['content-type']?.match(/;\s*charset\s*=/gi) ?? [];
  return countHeaders(request.raw, 'content-type') > 1 || charsets.length > 1;
}

function hasReadableType({ headers }: FastifyRequest): boolean {
  if (headers['content-encoding'] !== undefined) return false;
  const charset = /;\s*charset\s*=\s*("?)([^\s;"]*)\1/i.exec(headers['content-type'] ?? '');
  return charset === null || charset[2]?.toLowerCase() === 'utf-8';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A brace or bracket at the start, escaped or not; no field begins with one. */
const LOOKS_LIKE_JSON = /^[\s+]*(?:[{[]|%7b|%5b)/i;

/** The plugin passes on a string in which malformed UTF-8 was replaced by U+FFFD, so U+FFFD is rejected unless escaped. */
function decodeForm(text: string): Pairs {
  // All of it would be read as the name of a field, passwords included.
  if (LOOKS_LIKE_JSON.test(text)) {
    const detail = 'The body looks like JSON, but was sent as a form. Send it with "Content-Type: application/json".';
    throw new HttpProblem('bad_request', detail);
  }
  if (!text.includes('\u{fffd}')) return decodePairs(text);
  throw new HttpProblem(
    'bad_request',
    'The form is not valid UTF-8, or contains an unescaped U+FFFD. Send that as %EF%BF%BD.',
  );
}

/** A strict version of WHATWG's urlencoded parser: the same grammar, but malformed input is rejected, not repaired. */
function decodePairs(text: string, maxPairs = MAX_PAIRS): Pairs {
  const pairs: Pairs = Object.create(null);
  let count = 0;
  for (const [part] of text.matchAll(/[^&]+/g)) {
    count += 1;
    if (count > maxPairs) throw tooManyPairs(maxPairs);
    const split = part.indexOf('=');
    const name = decodeEscapes(split === -1 ? part : part.slice(0, split));
    const value = split === -1 ? '' : decodeEscapes(part.slice(split + 1));
    const earlier = pairs[name];
    pairs[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return pairs;
}

function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new HttpProblem('bad_request', 'An escape (%) is malformed, or is not valid UTF-8.');
  }
}

/** The object in a body of JSON; `undefined` for an empty body. Throws `bad_request`. */
export function decodeJson(body: Buffer): object | undefined {
  if (body.length === 0) return undefined;
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(body);
    value = JSON.parse(text);
  } catch {
    throw new HttpProblem('bad_request', 'The body is not valid JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HttpProblem('bad_request', 'The body is not a JSON object.');
  }
  if (hasTooManyMembers(text)) throw tooManyPairs();
  if (isDeeper(value, MAX_DEPTH)) {
    throw new HttpProblem('bad_request', `A JSON body may be nested at most ${MAX_DEPTH} levels deep.`);
  }
  return value;
}

/** Whether lists and objects are nested in more levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The characters of `"":0,`. */
const SHORTEST_MEMBER = 5;

/** Whether a well-formed JSON object has more fields than allowed. Counts repeated fields, which parsers do not report. */
function hasTooManyMembers(text: string): boolean {
  if (text.length < SHORTEST_MEMBER * MAX_PAIRS) return false;
  let fields = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',' && depth === 1) fields += 1;
    if (fields > MAX_PAIRS) return true;
  }
  return false;
}

/** The end of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function tooManyPairs(maxPairs = MAX_PAIRS): HttpProblem {
  return new HttpProblem('bad_request', `A request may have at most ${maxPairs} fields, including repeated ones.`);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The most parameters of a query, if more than of a form. */
    readonly maxQueryPairs?: number;
  }
}

/** Decodes the queries of this scope as strictly as forms. */
export function decodeQueries(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    try {
      // Node's parser rejects anything but ASCII in a request line.
      request.query = decodePairs(
        (request.query as UndecodedQuery).undecoded,
        request.routeOptions.config.maxQueryPairs,
      );
      done();
    } catch (error) {
      done(error instanceof Error ? error : new HttpProblem('bad_request'));
    }
  });
}
