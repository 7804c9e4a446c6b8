import { echoedName } from '@hitherto/domain';
import { HttpProblem, InvalidRequest, type WireFault, type WireFaultCode } from '@hitherto/http';
import type { TObject } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';

// Reads the input of requests: integers become numbers, and what the schemas or the database would refuse becomes faults.

/** Plain decimal, no longer than numbers hold exactly. */
const PLAIN_DECIMAL = /^(?:0|[1-9]\d{0,14})$/;

/**
 * Turns the integers of queries and forms, which are text, into numbers, so that one schema validates and documents them.
 * Only plain decimal is read (decisions.md, "Bodies"); any other text stays as it is, and the schema refuses it.
 *
 * @param schemas the flat schemas of queries and forms; a name that is an integer in one is an integer in all
 */
export function readIntegers(app: FastifyInstance, schemas: readonly TObject[]): void {
  const names = new Set(schemas.flatMap(({ properties }) => integersOf(properties)));
  app.addHook('preValidation', (request, _reply, done) => {
    convert(request.query, names);
    // Numbers are numbers in JSON.
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

/**
 * The faults that the route's schemas find in body and query: at most one per field. The schemas never respond on their own,
 * so that all faults of a request are reported together.
 */
export function shapeFaults(request: FastifyRequest): WireFault[] {
  const faults = new Map<string, WireFault>();
  const isJson = /^application\/json/i.test(request.headers['content-type'] ?? '');
  for (const error of wrongTypesFirst(errorsOf(request, 'body'))) addFirst(faults, faultOf(error, isJson));
  for (const error of wrongTypesFirst(errorsOf(request, 'querystring'))) addFirst(faults, faultOf(error, false));
  const found = [...faults.values()];
  // What is wrong with a cursor is found when it is read.
  const { cursor: _, ...query } = request.query as Record<string, unknown>;
  return [...found, ...textFaults(query, found)];
}

/** The errors of one part of the request. Fastify stops at the first part with errors, and the body comes first. */
function errorsOf(request: FastifyRequest, part: 'body' | 'querystring'): SchemaError[] {
  const found = request.validationError;
  if (found?.validationContext === part) return found.validation as SchemaError[];
  if (found?.validationContext !== 'body') return [];
  const check = request.getValidationFunction(part);
  return check === undefined || check(request.query) ? [] : ((check.errors ?? []) as SchemaError[]);
}

/** A wrong type explains all other faults of a field. */
function wrongTypesFirst(errors: readonly SchemaError[]): SchemaError[] {
  return [...errors.filter(({ keyword }) => keyword === 'type'), ...errors.filter(({ keyword }) => keyword !== 'type')];
}

function addFirst(faults: Map<string, WireFault>, fault: WireFault): void {
  if (!faults.has(fault.field)) faults.set(fault.field, fault);
}

function faultOf(error: SchemaError, isJson: boolean): WireFault {
  const { keyword, params, parentSchema = {} } = error;
  const path = pathOf(error);
  if (keyword === 'additionalProperties') {
    const field = String(params.additionalProperty);
    const known = Object.keys((parentSchema.properties as object | undefined) ?? {});
    return { field: [...path, echoedName(field)].join('.'), code: 'unknown', detail: unknownDetail(field, known) };
  }
  if (keyword === 'required') {
    const field = [...path, String(params.missingProperty)].join('.');
    return { field, code: 'required', detail: 'This field is required.' };
  }
  const field = path.join('.');
  const accepted = String(parentSchema.description ?? '');
  const [code, problem] = codeOf(error, isJson);
  return { field, code, detail: `${problem} ${accepted}`.trim() };
}

/** The names and indexes that lead to the value: `hits`, `3`, `url`. */
function pathOf({ instancePath }: SchemaError): string[] {
  const parts = instancePath.split('/').slice(1);
  return parts.map((part) => echoedName(part.replaceAll('~1', '/').replaceAll('~0', '~')));
}

function codeOf({ keyword, data, params }: SchemaError, isJson: boolean): [WireFaultCode, string] {
  if (keyword === 'type' && isJson) return ['invalid_type', wrongTypeDetail(params.type, data)];
  // All is text in forms and queries: an integer in another spelling is a value that is not accepted.
  if (keyword === 'type' && Array.isArray(data)) return ['repeated', 'This field is repeated.'];
  if (keyword === 'maxItems') return ['too_many', 'This has too many items.'];
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
  string: 'text',
};

/** `This must be a number in JSON, not text.` */
function wrongTypeDetail(accepted: unknown, data: unknown): string {
  const names = [accepted].flat().map((type) => TYPES[String(type)] ?? String(type));
  if (typeof data === 'number' && accepted === 'integer') return 'This must be a whole number in JSON.';
  return `This must be ${names.join(' or ')} in JSON, not ${TYPES[typeOf(data)]}.`;
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
 * Refuses requests that do not have the shape that the route's schemas say, with all faults at once, in every route of the
 * scope that does not merge them with the faults of its input. Call it before the routes are registered.
 */
export function refuseInvalidInput(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    // Fastify's own response would have the first fault only.
    route.attachValidation = true;
  });
  scope.addHook('preHandler', (request, _reply, done) => {
    const faults = request.routeOptions.config.mergesFaults ? [] : shapeFaults(request);
    done(faults.length === 0 ? undefined : new InvalidRequest(faults));
  });
}

/** A NUL or a lone surrogate: PostgreSQL stores neither. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/**
 * The texts among the fields that no stored text can equal. This is not a pattern of the schemas, because the regular
 * expressions of Python and Java have no such pattern, and generators refuse it.
 *
 * @param known the faults that were found before; their fields get no second one
 */
export function textFaults(fields: object, known: readonly WireFault[]): WireFault[] {
  const faulty = new Set(known.map(({ field }) => field));
  // Unknown names may hold anything, and `known` has them cleaned.
  return Object.entries(fields)
    .filter(([, value]) => typeof value === 'string' && UNSTORABLE.test(value))
    .map(([name]) => echoedName(name))
    .filter((field) => !faulty.has(field))
    .map((field) => ({
      field,
      code: 'not_allowed',
      detail: 'This contains a NUL or a lone surrogate, which cannot be stored.',
    }));
}

/** The header for the OpenAPI document. `repeat` says what a second request with the same key does. */
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

/** The `Idempotency-Key` of a request, verbatim, including quotes. Two such headers are joined, and therefore refused. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new HttpProblem('bad_request', 'The Idempotency-Key must have 1 to 255 visible ASCII characters.');
}
