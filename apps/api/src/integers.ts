import type { TObject } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';

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
