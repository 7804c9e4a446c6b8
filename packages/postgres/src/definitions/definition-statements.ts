import type { Definition, DefinitionKind } from '@hitherto/domain/definitions';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { type RawBuilder, sql } from 'kysely';
import { noting } from '../changes.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

interface OfKind extends WebsiteKey {
  readonly kind: DefinitionKind;
}

const COLUMNS = sql`definition.id, definition.name, definition.content,
  definition.created_at as "createdAt", definition.updated_at as "updatedAt"`;

function ofWebsite(p: Placeholders<WebsiteKey>): RawBuilder<unknown> {
  return sql`website.account_id = ${p('accountId')} and website.id = ${p('websiteId')}`;
}

/** One row for each definition; one with a null for each column if a website has none; nothing if there is no website. */
export const listDefinitions = statement(
  'list_definitions',
  (p: Placeholders<OfKind>) => sql`
    select ${COLUMNS} from website
    left join definition on definition.website_number = website.number and definition.kind = ${p('kind')}
    where ${ofWebsite(p)} order by definition.number`,
);

export const sumSizes = statement(
  'sum_sizes_of_definitions',
  (p: Placeholders<OfKind>) => sql<{ bytes: number }>`
    select coalesce(sum(octet_length(definition.content::text)), 0)::int as bytes
    from website join definition on definition.website_number = website.number
    where ${ofWebsite(p)} and definition.kind = ${p('kind')}`,
);

export const findDefinitions = statement(
  'find_definitions',
  (p: Placeholders<OfKind & { readonly ids: readonly string[] }>) => sql`
    select ${COLUMNS} from website join definition on definition.website_number = website.number
    where ${ofWebsite(p)} and definition.kind = ${p('kind')} and definition.id = any(${p('ids')}::uuid[])
    order by definition.number`,
);

/** The number of a website, which stays locked until the end of the transaction. */
export const lockWebsite = statement(
  'lock_website_for_definition',
  (p: Placeholders<WebsiteKey>) => sql<{ number: string }>`
    select number from website where ${ofWebsite(p)} for no key update`,
);

interface Noted {
  readonly noted: string;
}

interface Written {
  readonly name: string;
  readonly content: string;
  readonly updatedAt: Date;
}

/** Inserts the definition unless the website has as many as it may have. */
export const insertDefinition = statement(
  'insert_definition',
  (
    p: Placeholders<
      Written &
        Noted & {
          readonly websiteNumber: string;
          readonly kind: DefinitionKind;
          readonly id: string;
          readonly createdAt: Date;
          readonly limit: number;
        }
    >,
  ) =>
    noting(
      sql`
    insert into definition (website_number, id, kind, name, content, created_at, updated_at)
    select ${p('websiteNumber')}::bigint, ${p('id')}::uuid, ${p('kind')}, ${p('name')}, ${p('content')}::json,
      ${p('createdAt')}::timestamptz, ${p('updatedAt')}::timestamptz
    where (
      select count(*) from definition where website_number = ${p('websiteNumber')}::bigint and kind = ${p('kind')}
    ) < ${p('limit')}::integer`,
      p('noted'),
    ),
);

export const replaceDefinition = statement(
  'replace_definition',
  (p: Placeholders<OfKind & Written & Noted & { readonly id: string; readonly expected: Date }>) =>
    noting(
      sql`
    update definition set name = ${p('name')}, content = ${p('content')}::json, updated_at = ${p('updatedAt')}
    from website
    where ${ofWebsite(p)} and definition.website_number = website.number and definition.kind = ${p('kind')}
      and definition.id = ${p('id')} and definition.updated_at = ${p('expected')}`,
      p('noted'),
    ),
);

/** Deletes the definition; `expected` is `null` for any version. */
export const deleteDefinition = statement(
  'delete_definition',
  (p: Placeholders<OfKind & Noted & { readonly id: string; readonly expected: Date | null }>) =>
    noting(
      sql`
    delete from definition using website
    where ${ofWebsite(p)} and definition.website_number = website.number and definition.kind = ${p('kind')}
      and definition.id = ${p('id')}
      and definition.updated_at = coalesce(${p('expected')}::timestamptz, definition.updated_at)`,
      p('noted'),
    ),
);

/** Who has a name. */
export const findIdByName = statement(
  'find_definition_by_name',
  (p: Placeholders<OfKind & { readonly name: string }>) => sql<{ id: string }>`
    select definition.id from website join definition on definition.website_number = website.number
    where ${ofWebsite(p)} and definition.kind = ${p('kind')} and definition.name = ${p('name')}`,
);

/** The written columns of a definition. */
export function toWritten({ name, content, updatedAt }: Definition): Written {
  return { name, content: JSON.stringify(content), updatedAt };
}
