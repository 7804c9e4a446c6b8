import type { Annotation } from '@hitherto/domain/annotations';
import type { Day } from '@hitherto/domain/calendar';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { type RawBuilder, sql } from 'kysely';
import { noting } from '../changes.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

type Noted = { readonly noted: string };

const COLUMNS = sql`annotation.id, annotation.day::text as day, annotation.text, annotation.is_public as "isPublic",
  annotation.created_at as "createdAt", annotation.updated_at as "updatedAt"`;

function ofWebsite(p: Placeholders<WebsiteKey>): RawBuilder<unknown> {
  return sql`website.account_id = ${p('accountId')} and website.id = ${p('websiteId')}`;
}

/** One row for each annotation; one with a null for each column if there are none; nothing if there is no website. */
export const listAnnotations = statement(
  'list_annotations',
  (p: Placeholders<WebsiteKey & { readonly from: Day | null; readonly to: Day | null }>) => sql<
    Annotation | { readonly id: null }
  >`
    select ${COLUMNS} from website left join annotation on annotation.website_number = website.number
      and annotation.day between coalesce(${p('from')}::date, '-infinity') and coalesce(${p('to')}::date, 'infinity')
    where ${ofWebsite(p)} order by annotation.day, annotation.number`,
);

export const findAnnotation = statement(
  'find_annotation',
  (p: Placeholders<WebsiteKey & { readonly id: string }>) => sql<Annotation>`
    select ${COLUMNS} from website join annotation on annotation.website_number = website.number
    where ${ofWebsite(p)} and annotation.id = ${p('id')}`,
);

/** Inserts the annotation unless the website has as many as it may have. */
export const insertAnnotation = statement(
  'insert_annotation',
  (p: Placeholders<Annotation & Noted & { readonly websiteNumber: string; readonly limit: number }>) =>
    noting(
      sql`
    insert into annotation (website_number, id, day, text, is_public, created_at, updated_at)
    select ${p('websiteNumber')}::bigint, ${p('id')}::uuid, ${p('day')}::date, ${p('text')}, ${p('isPublic')}::boolean,
      ${p('createdAt')}::timestamptz, ${p('updatedAt')}::timestamptz
    where (select count(*) from annotation where website_number = ${p('websiteNumber')}::bigint) < ${p('limit')}::integer`,
      p('noted'),
    ),
);

export const replaceAnnotation = statement(
  'replace_annotation',
  (p: Placeholders<WebsiteKey & Annotation & Noted & { readonly expected: Date }>) =>
    noting(
      sql`
    update annotation set day = ${p('day')}::date, text = ${p('text')}, is_public = ${p('isPublic')}::boolean,
      updated_at = ${p('updatedAt')}
    from website
    where ${ofWebsite(p)} and annotation.website_number = website.number and annotation.id = ${p('id')}
      and annotation.updated_at = ${p('expected')}`,
      p('noted'),
    ),
);

export const deleteAnnotation = statement(
  'delete_annotation',
  (p: Placeholders<WebsiteKey & Noted & { readonly id: string; readonly expected: Date }>) =>
    noting(
      sql`
    delete from annotation using website
    where ${ofWebsite(p)} and annotation.website_number = website.number and annotation.id = ${p('id')}
      and annotation.updated_at = ${p('expected')}`,
      p('noted'),
    ),
);
