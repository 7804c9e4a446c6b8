import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Tables } from '../migrations/tables.ts';
import { withCtes } from './cte.ts';

/** Builds and types statements, without a connection. */
export const build = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** A statement and its values, in the driver's format. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
  /** The driver's timeout in milliseconds, if it differs from the connection's. */
  readonly query_timeout?: number;
}

/** What a query resolves to. */
export interface QueryResult<Row> {
  readonly rows: Row[];
  /** How many rows were read or written. */
  readonly count: number;
}

/** A statement that is compiled once and used with different parameters. `Row` is a row of its result. */
export interface Statement<Parameters, Row> {
  /** The query with these parameters. */
  with(parameters: Parameters): Query & { readonly row?: Row };
}

/** Stands for a parameter while a statement is being built. */
export type Placeholders<Parameters> = <Name extends keyof Parameters & string>(
  name: Name,
) => RawBuilder<Parameters[Name]>;

const isPlaceholder = Symbol('placeholder');

/**
 * Compiles a statement.
 *
 * @param name under which each connection caches its plan. Without a name it is planned each time, which suits
 * statements whose best plan depends on the parameters.
 */
export function statement<Parameters, Row>(
  name: string | undefined,
  make: (placeholder: Placeholders<Parameters>) => Compilable<Row> | RawBuilder<Row>,
): Statement<Parameters, Row> {
  const compiled = compile(make((parameter) => sql`${{ [isPlaceholder]: true, parameter }}`));
  const bindings = compiled.parameters.map(bindingOf<Parameters>);
  const prepared = name === undefined ? { text: compiled.sql } : { name, text: compiled.sql };
  return { with: (parameters) => ({ ...prepared, values: bindings.map((bind) => bind(parameters)) }) };
}

/** Columns, separated by commas; of this table if it is given. */
export function columnsOf(names: readonly string[], table?: string): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(table === undefined ? name : `${table}.${name}`)));
}

/** A query for one use, compiled and planned for it alone. */
export function once<Row>(query: Compilable<Row> | RawBuilder<Row>): Query & { readonly row?: Row } {
  const { sql: text, parameters } = compile(query);
  return { text, values: [...parameters] };
}

function compile<Row>(query: Compilable<Row> | RawBuilder<Row>): CompiledQuery<Row> {
  return 'isRawBuilder' in query ? withCtes(query).compile(build) : query.compile();
}

function bindingOf<Parameters>(value: unknown): (parameters: Parameters) => unknown {
  if (typeof value !== 'object' || value === null || !(isPlaceholder in value)) return () => value;
  const { parameter } = value as unknown as { parameter: keyof Parameters };
  return (parameters) => parameters[parameter];
}
