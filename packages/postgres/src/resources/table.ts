import type { DomainError } from '@hitherto/domain/base';
import type { Owner, Resource } from '@hitherto/domain/resources';
import { type RawBuilder, sql } from 'kysely';
import { auditing } from '../changes.ts';
import { type Placeholders, type Statement, statement } from '../connection/statement.ts';

/** The values of a statement, by the names of the fields. */
export type Values = Readonly<Record<string, unknown>>;
type Placeholder = Placeholders<Values>;
/** SQL expressions by column. */
type Expressions = Readonly<Record<string, RawBuilder<unknown>>>;

/** The table of a kind of resource. Each row has an `id`, a `created_at`, and a `number` in the order of insertion. */
export interface ResourceTable<Stored extends Resource, Row = Stored> {
  readonly name: string;
  /** Of the rows in a table of several kinds. */
  readonly kind?: string;
  readonly owner: 'website' | 'account';
  /** The column and the type of each field, except `id` and `createdAt`. */
  readonly columns: Readonly<Record<string, readonly [column: string, type: string]>>;
  /** The fields that a replacement does not write. */
  readonly fixed?: readonly string[];
  /** The most resources of an owner. */
  readonly limit: number;
  /** Lists can have many megabytes, which would hold up short reads. */
  readonly hasLongLists?: true;
  /** The order of lists, if it is another one. */
  readonly order?: RawBuilder<unknown>;
  /** Columns that an insert writes in addition. */
  inserting?(p: Placeholder): Expressions;
  /** Columns that a replacement writes in addition, or in another way. */
  replacing?(p: Placeholder): Expressions;
  /** Tables of a `with` clause, for what a replacement changes elsewhere. */
  replacingElsewhere?(p: Placeholder): RawBuilder<unknown>;
  /** The condition of an insert; `rejected` is the error if it does not hold. */
  condition?(p: Placeholder): RawBuilder<unknown>;
  rejected?(): Error;
  tooMany(): DomainError;
  /** The error about a broken constraint; `undefined` if the row that was in the way has disappeared. */
  conflict?(constraint: string, owner: Owner, resource: { readonly id: string }): Promise<Error | undefined>;
  toValues(resource: Stored): Values;
  toResource(row: Row): Stored;
}

/** The statements of a kind of resource. */
interface ResourceStatements<Row> {
  /** A row with a null for each column if a website has no resources; none if there is no website. */
  readonly list: Statement<Owner, Row | { readonly id: null }>;
  readonly find: Statement<Owner & { readonly id: string }, Row>;
  /** The key of the owner in the table. The owner stays locked, so that its resources are inserted one after the other. */
  readonly lock: Statement<Owner, { readonly key: string }>;
  readonly count: Statement<{ readonly key: string }, { readonly count: number }>;
  readonly insert: Statement<Values, unknown>;
  readonly replace: Statement<Values, unknown>;
  readonly delete: Statement<Values, unknown>;
}

/** Makes the statements of a table. */
export function statementsOf<Stored extends Resource, Row>(table: ResourceTable<Stored, Row>): ResourceStatements<Row> {
  const { name, kind, owner, columns, fixed = [], order = sql.ref(`${name}.number`) } = table;
  const own = sql.table(name);
  const label = kind ?? name;
  const all: ResourceTable<Stored>['columns'] = {
    id: ['id', 'uuid'],
    ...columns,
    createdAt: ['created_at', 'timestamptz'],
  };
  const isOfKind = kind === undefined ? sql`true` : sql`${sql.ref(`${name}.kind`)} = ${sql.lit(kind)}`;
  const isVersioned = 'updatedAt' in columns;
  const key = owner === 'website' ? sql.ref(`${name}.website_number`) : sql.ref(`${name}.account_id`);
  const keyType = owner === 'website' ? sql`bigint` : sql`uuid`;

  const read = sql.join(
    Object.entries(all).map(([field, [column, type]]) => {
      // As text: the driver would make a time of a day.
      const value = type === 'date' ? sql`${sql.ref(`${name}.${column}`)}::text` : sql.ref(`${name}.${column}`);
      return sql`${value} as ${sql.ref(field)}`;
    }),
  );
  const typed = (p: Placeholder, field: string, type: string) => sql`${p(field)}::${sql.raw(type)}`;
  /** The rows of an owner: a join of the table with its owner, and a condition. */
  const source = owner === 'website' ? sql`website` : sql`account`;
  const joined = owner === 'website' ? sql`${key} = website.number` : sql`${key} = account.id`;
  const isOwner = (p: Placeholders<Owner>) =>
    owner === 'website'
      ? sql`website.account_id = ${p('accountId')} and website.id = ${p('websiteId')}`
      : sql`account.id = ${p('accountId')}`;
  const assignments = (p: Placeholder) => {
    const set: Record<string, RawBuilder<unknown>> = {};
    for (const [field, [column, type]] of Object.entries(columns)) {
      if (!fixed.includes(field)) set[column] = typed(p, field, type);
    }
    const changed = Object.entries({ ...set, ...table.replacing?.(p) });
    return sql.join(changed.map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
  };

  return {
    list: statement(
      `list_${label}s`,
      (p: Placeholders<Owner>) => sql<Row | { id: null }>`
        select ${read} from ${source} left join ${own} on ${joined} and ${isOfKind} where ${isOwner(p)} order by ${order}`,
    ),
    find: statement(
      `find_${label}`,
      (p: Placeholders<Owner & { id: string }>) => sql<Row>`
        select ${read} from ${source} join ${own} on ${joined} and ${isOfKind}
        where ${isOwner(p)} and ${sql.ref(`${name}.id`)} = ${p('id')}`,
    ),
    lock: statement(
      `lock_${owner}_for_resources`,
      (p: Placeholders<Owner>) => sql<{ key: string }>`
        select ${owner === 'website' ? sql`number` : sql`id`} as key from ${source} where ${isOwner(p)} for no key update`,
    ),
    count: statement(
      `count_${label}s`,
      (p: Placeholders<{ key: string }>) => sql<{ count: number }>`
        select count(*)::integer as count from ${own} where ${key} = ${p('key')}::${keyType} and ${isOfKind}`,
    ),
    insert: statement(`insert_${label}`, (p: Placeholder) => {
      const values: Record<string, RawBuilder<unknown>> = {
        ...(owner === 'website'
          ? { website_number: sql`${p('key')}::bigint` }
          : { account_id: sql`${p('key')}::uuid` }),
        ...(kind === undefined ? {} : { kind: sql.lit(kind) }),
      };
      for (const [field, [column, type]] of Object.entries(all)) values[column] = typed(p, field, type);
      const inserted = Object.entries({ ...values, ...table.inserting?.(p) });
      return auditing(
        sql`
          insert into ${own} (${sql.join(inserted.map(([column]) => sql.ref(column)))})
          select ${sql.join(inserted.map(([, value]) => value))}
          where (select count(*) from ${own} where ${key} = ${p('key')}::${keyType} and ${isOfKind}) < ${p('limit')}::integer
            and ${table.condition?.(p) ?? sql`true`}`,
        p('audited') as RawBuilder<string>,
        undefined,
        p('deliverable') as RawBuilder<string>,
      );
    }),
    replace: statement(`replace_${label}`, (p: Placeholder) =>
      auditing(
        sql`
          update ${own} set ${assignments(p)} from ${source}
          where ${isOwner(p as Placeholders<Owner>)} and ${joined} and ${isOfKind}
            and ${sql.ref(`${name}.id`)} = ${p('id')} and ${sql.ref(`${name}.updated_at`)} = ${p('expected')}`,
        p('audited') as RawBuilder<string>,
        table.replacingElsewhere?.(p),
        p('deliverable') as RawBuilder<string>,
      ),
    ),
    delete: statement(`delete_${label}`, (p: Placeholder) => {
      const version = sql.ref(`${name}.updated_at`);
      const isExpected = isVersioned
        ? sql`${version} = coalesce(${p('expected')}::timestamptz, ${version})`
        : sql`${p('expected')}::timestamptz is null`;
      return auditing(
        sql`
          delete from ${own} using ${source}
          where ${isOwner(p as Placeholders<Owner>)} and ${joined} and ${isOfKind} and ${sql.ref(`${name}.id`)} = ${p('id')}
            and ${isExpected}`,
        p('audited') as RawBuilder<string>,
      );
    }),
  };
}
