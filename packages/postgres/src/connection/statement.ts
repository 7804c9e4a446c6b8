import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  RawNode,
  sql,
} from 'kysely';
import type { Tables } from '../migrations/tables.ts';

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

/** The result of a query. */
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

/**
 * A table of a `with` clause. In a statement it stands for its name; compiling the statement puts the clause in front, with
 * every table that the statement uses, directly or through other tables, before the tables that use it. So a table can be
 * neither missing nor misplaced. Of several tables with the same name, the later ones get a number.
 */
export interface Cte extends RawBuilder<unknown> {
  readonly isCte: true;
}

/** How a table is written in a `with` clause. */
interface CteOptions {
  readonly columns?: RawBuilder<unknown>;
  /** Whether PostgreSQL computes it once; by default, if it is used more than once. */
  readonly materialized?: boolean;
}

interface Definition extends CteOptions {
  readonly name: string;
  readonly body: OperationNode;
}

/** By the node that stands for the table in a statement. */
const definitions = new WeakMap<OperationNode, Definition>();

/**
 * Defines a table of a `with` clause.
 *
 * @param body a select, or a statement that returns rows
 */
export function cte(name: string, body: RawBuilder<unknown>, options: CteOptions = {}): Cte {
  const table = sql.table(name);
  definitions.set(table.toOperationNode(), { ...options, name, body: body.toOperationNode() });
  return Object.assign(table, { isCte: true as const });
}

/** The statement after the `with` clause that it needs, if any. */
function withCtes<Row>(statement: RawBuilder<Row>): RawBuilder<Row> {
  const tables = new Map<OperationNode, Definition>();
  collect(statement.toOperationNode(), tables);
  if (tables.size === 0) return statement;
  const names = namesOf(tables);
  const named = (node: OperationNode) => sql`${{ toOperationNode: () => rename(node, names) }}`;
  const clauses = Array.from(tables, ([node, { body, columns, materialized }]) => {
    const list = columns === undefined ? sql`` : sql` (${columns})`;
    const hint = materialized === undefined ? sql`` : materialized ? sql` materialized` : sql` not materialized`;
    return sql`${named(node)}${list} as${hint} (${named(body)})`;
  });
  return sql<Row>`with ${sql.join(clauses)} ${named(statement.toOperationNode())}`;
}

/** Adds the tables that a node uses, each after the tables that it uses itself. */
function collect(node: OperationNode, tables: Map<OperationNode, Definition>): void {
  const definition = definitions.get(node);
  if (definition !== undefined) {
    if (tables.has(node)) return;
    collect(definition.body, tables);
    tables.set(node, definition);
  } else if (RawNode.is(node)) {
    for (const part of node.parameters) collect(part, tables);
  }
}

/** The nodes of the tables' names in the statement. */
function namesOf(tables: ReadonlyMap<OperationNode, Definition>): ReadonlyMap<OperationNode, OperationNode> {
  const uses = new Map<string, number>();
  return new Map(
    Array.from(tables, ([node, { name }]) => {
      const use = (uses.get(name) ?? 0) + 1;
      uses.set(name, use);
      return [node, use === 1 ? node : sql.table(`${name}_${use}`).toOperationNode()];
    }),
  );
}

/** The node with the tables' names in the statement. */
function rename(node: OperationNode, names: ReadonlyMap<OperationNode, OperationNode>): OperationNode {
  const name = names.get(node);
  if (name !== undefined) return name;
  if (!RawNode.is(node)) return node;
  return RawNode.create(
    node.sqlFragments,
    node.parameters.map((part) => rename(part, names)),
  );
}
