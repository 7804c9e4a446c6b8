import { echoedName, InvalidFields, MAX_FAULTS } from '@hitherto/domain/base';
import { echoedParameter } from '@hitherto/domain/visits';
import { HttpProblem, InvalidRequest, type WireFault, type WireFaultCode } from '@hitherto/http';
import type { TObject } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';

// Reads the input of requests: integers become numbers, and values that the schemas or the database would reject become faults.

/** Plain decimal, no longer than numbers hold exactly. */
const PLAIN_DECIMAL = /^(?:0|[1-9]\d{0,14})$/;

/**
 * Turns the integers of queries and forms, which are strings, into numbers, so that one schema validates and documents them.
 * Only plain decimal is read (api.md, "Bodies"); any other string stays unchanged, and the schema rejects it.
 *
 * @param schemas the flat schemas of queries and forms; a name that is an integer in one is an integer in all
 */
export function readIntegers(app: FastifyInstance, schemas: readonly TObject[]): void {
  const names = new Set(schemas.flatMap(({ properties }) => integersOf(properties)));
  app.addHook('preValidation', (request, _reply, done) => {
    convert(request.query, names);
    // JSON has numbers, which must not be strings there.
    if (/^application\/x-www-form-urlencoded/i.test(request.headers['content-type'] ?? ''))
      convert(request.body, names);
    done();
  });
}

function integersOf(properties: TObject['properties']): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
}

function convert(pairs: unknown, names: ReadonlySet<string>): void {
  if (typeof pairs !== 'object' || pairs === null) return;
  for (const [name, value] of Object.entries(pairs)) {
    if (names.has(name) && typeof value === 'string' && PLAIN_DECIMAL.test(value)) {
      Object.assign(pairs, { [name]: Number(value) });
    }
  }
}

/** The parts of an Ajv error that are used here. */
interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
  readonly data?: unknown;
  readonly parentSchema?: Record<string, unknown>;
}

/** A fault in the shape of a request. */
export interface ShapeFault extends WireFault {
  /** The field or parameter as sent: in `field`, an unknown name can look like a known one. */
  readonly name: string;
}

/**
 * The faults that the route's schemas find in body and query: at most one per field. The schemas never respond on their own,
 * so that all faults of a request are reported together.
 *
 * @throws InvalidRequest if there are as many as a response lists; a body has room for 100,000, which would take a second
 */
export function shapeFaults(request: FastifyRequest): ShapeFault[] {
  const faults = new Map<string, ShapeFault>();
  const isJson = /^application\/json/i.test(request.headers['content-type'] ?? '');
  addFaults(faults, errorsOf(request, 'body'), isJson, pathOf, fieldOf);
  // Of a parameter with several values, the name is enough.
  const parameterOf = (error: SchemaError) => pathOf(error).slice(0, 1);
  addFaults(faults, errorsOf(request, 'querystring'), false, parameterOf, ([name = '']) => echoedParameter(name));
  const found = [...faults.values()];
  // Faults of a cursor are found when it is read.
  const { cursor: _, ...query } = request.query as Record<string, unknown>;
  return [...found, ...stringFaults(query, found, echoedParameter)];
}

/** The errors of one part of the request. Fastify stops at the first part with errors, and the body comes first. */
function errorsOf(request: FastifyRequest, part: 'body' | 'querystring'): SchemaError[] {
  const found = request.validationError;
  if (found?.validationContext === part) return found.validation as SchemaError[];
  if (found?.validationContext !== 'body') return [];
  const check = request.getValidationFunction(part);
  return check === undefined || check(request.query) ? [] : ((check.errors ?? []) as SchemaError[]);
}

/** Adds a fault for each field that has none yet. A wrong type explains all other faults of a field, so it comes first. */
function addFaults(
  faults: Map<string, ShapeFault>,
  errors: readonly SchemaError[],
  isJson: boolean,
  toPath: (error: SchemaError) => readonly string[],
  toField: (path: readonly string[]) => string,
): void {
  const isWrongType = ({ keyword }: SchemaError) => keyword === 'type';
  for (const error of [...errors.filter(isWrongType), ...errors.filter((other) => !isWrongType(other))]) {
    const path = toPath(error);
    const key = JSON.stringify(path);
    if (faults.has(key)) continue;
    faults.set(key, { name: path[0] ?? '', field: toField(path), ...faultOf(error, isJson) });
    if (faults.size === MAX_FAULTS) throw new InvalidRequest([...faults.values()]);
  }
}

/** The names and indexes that lead to the faulty field, as sent. Of a filter, the name is enough. */
function pathOf({ instancePath, params }: SchemaError): string[] {
  const names = instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const member = params.additionalProperty ?? params.missingProperty;
  return [...(names[0] === 'filters' ? names.slice(0, 2) : names), ...(member === undefined ? [] : [String(member)])];
}

/** A path as a fault may repeat it, with dots between its names: `hits.3.url`, `filters.country.not`. */
function fieldOf(path: readonly string[]): string {
  return path.map(path[0] === 'filters' ? echoedParameter : echoedName).join('.');
}

function faultOf(error: SchemaError, isJson: boolean): Omit<WireFault, 'field'> {
  const { keyword, params, parentSchema = {} } = error;
  if (keyword === 'additionalProperties') {
    const known = Object.keys((parentSchema.properties as object | undefined) ?? {});
    return { code: 'unknown', detail: unknownDetail(String(params.additionalProperty), known) };
  }
  if (keyword === 'required') return { code: 'required', detail: 'This field is required.' };
  const [code, problem] = codeOf(error, isJson);
  return { code, detail: `${problem} ${String(parentSchema.description ?? '')}`.trim() };
}

function codeOf({ keyword, data, params }: SchemaError, isJson: boolean): [WireFaultCode, string] {
  if (keyword === 'type' && isJson) return ['invalid_type', wrongTypeDetail(params.type, data)];
  // All values are strings in forms and queries: an integer in another spelling is a value that is not accepted.
  if (keyword === 'type' && Array.isArray(data)) return ['repeated', 'This field is repeated.'];
  if (keyword === 'maxItems' || keyword === 'maxProperties') return ['too_many', 'This has too many items.'];
  if (keyword === 'maxLength') return ['too_long', 'This is too long.'];
  return ['not_allowed', 'This is not an accepted value.'];
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

/** `Must be a number in JSON, not a string.` */
function wrongTypeDetail(accepted: unknown, data: unknown): string {
  const types = [accepted].flat();
  const isFraction = typeof data === 'number' && types.includes('integer');
  const nameOf = (type: unknown) =>
    isFraction && type === 'integer' ? 'a whole number' : (TYPES[String(type)] ?? String(type));
  const must = `Must be ${types.map(nameOf).join(' or ')} in JSON`;
  return isFraction ? `${must}.` : `${must}, not ${TYPES[typeOf(data)]}.`;
}

function typeOf(data: unknown): string {
  if (data === null) return 'null';
  return Array.isArray(data) ? 'array' : typeof data;
}

function unknownDetail(field: string, known: readonly string[]): string {
  if (field === 'page' && known.includes('cursor'))
    return 'Pages have no numbers: follow "links.next", or send its cursor.';
  return known.length === 0
    ? 'No fields are accepted here.'
    : `This field is unknown. The fields are ${known.join(', ')}.`;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler passes `shapeFaults` to the function that reads the input, which reports them with its own faults. */
    readonly mergesFaults?: true;
  }
}

/**
 * Rejects requests whose shape does not match the route's schemas, and lists all their faults, in every route of the scope
 * that does not merge them with the faults of its input. Call it before the routes are registered.
 */
export function rejectInvalidInput(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    // Fastify's own response would have the first fault only.
    route.attachValidation = true;
  });
  scope.addHook('preHandler', (request, _reply, done) => {
    const faults = request.routeOptions.config.mergesFaults ? [] : shapeFaults(request);
    done(faults.length === 0 ? undefined : new InvalidRequest(faults));
  });
}

/**
 * The result of `parse` for a body whose fields are all optional. It does not see fields with a fault in their shape, and they
 * get no second fault. Throws `InvalidRequest` with the faults of the shape and of `parse`.
 */
export function parseBody<Body extends object, T>(
  body: Body,
  shapeFaults: readonly ShapeFault[],
  parse: (body: Partial<Body>) => T,
): T {
  const faulty = new Set(shapeFaults.map(({ name }) => name));
  // A rule has one of the two: where one is faulty, the other is not missing.
  if (faulty.has('page')) faulty.add('event');
  const sound = { ...body };
  for (const name of faulty) Reflect.deleteProperty(sound, name);
  try {
    const parsed = parse(sound);
    if (shapeFaults.length === 0) return parsed;
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    const isNew = ({ field }: WireFault) => !faulty.has(field.split('.', 1)[0] ?? '');
    throw new InvalidRequest([...shapeFaults, ...error.faults.filter(isNew)]);
  }
  throw new InvalidRequest(shapeFaults);
}

/** A NUL or a lone surrogate: PostgreSQL stores neither. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/**
 * The faults of strings that no stored string can equal. This is not a pattern of the schemas, because the regular
 * expressions of Python and Java have no such pattern, and generators reject it.
 *
 * @param known the faults that were found before; their fields get no second one
 * @param echo a name as a fault may repeat it
 */
export function stringFaults(fields: object, known: readonly ShapeFault[], echo = echoedName): ShapeFault[] {
  const faulty = new Set(known.map(({ name }) => name));
  return Object.entries(fields)
    .filter(([name, value]) => !faulty.has(name) && typeof value === 'string' && UNSTORABLE.test(value))
    .map(([name]) => ({
      name,
      field: echo(name),
      code: 'not_allowed',
      detail: 'This contains a NUL or a lone surrogate, which cannot be stored.',
    }));
}

/** The header for the OpenAPI document. `repeat` describes the effect of a second request with the same key. */
export const idempotencyKeyHeader = (repeat: string) => ({
  'idempotency-key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[!-~]+$',
    description: `1 to 255 visible ASCII characters. ${repeat}`,
    examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
  },
});

/** The `Idempotency-Key` of a request, verbatim, including quotes. Two such headers are joined, and therefore rejected. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new HttpProblem('bad_request', 'The Idempotency-Key must have 1 to 255 visible ASCII characters.');
}

/** The website's id in a path. A UUID is read whatever its letter case (RFC 9562, section 4). */
export function websiteIdOf({ id }: { readonly id: string }): string {
  return id.toLowerCase();
}
