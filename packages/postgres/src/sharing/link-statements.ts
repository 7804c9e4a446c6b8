import type { SharedLink } from '@hitherto/domain/links';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { noting } from '../changes.ts';
import { build, type Placeholders, statement } from '../connection/statement.ts';
import { WEBSITE_COLUMNS } from '../websites/website-row.ts';

const COLUMNS = sql`shared_link.id, shared_link.name, shared_link.token_hash as "tokenHash",
  shared_link.segment_id as "segmentId", shared_link.expires_at as "expiresAt",
  shared_link.password_hash as "passwordHash", shared_link.created_at as "createdAt"`;

/** One row for each link; one with a null for each column if a website has none; nothing if there is no website. */
export const listLinks = statement(
  'list_shared_links',
  (p: Placeholders<WebsiteKey>) => sql<SharedLink | { readonly id: null }>`
    select ${COLUMNS} from website left join shared_link on shared_link.website_number = website.number
    where website.account_id = ${p('accountId')} and website.id = ${p('websiteId')} order by shared_link.number`,
);

/** A link with its website. */
export const findByToken = statement('find_shared_link', (p: Placeholders<{ readonly tokenHash: string }>) =>
  build
    .with('link', (link) =>
      link
        .selectFrom('shared_link')
        .select([
          'website_number',
          'id as link_id',
          'name as link_name',
          'token_hash as link_token_hash',
          'segment_id as link_segment_id',
          'expires_at as link_expires_at',
          'password_hash as link_password_hash',
          'created_at as link_created_at',
        ])
        .where('token_hash', '=', p('tokenHash')),
    )
    .selectFrom('website')
    .innerJoin('link', 'link.website_number', 'website.number')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .select([
      'link_id',
      'link_name',
      'link_token_hash',
      'link_segment_id',
      'link_expires_at',
      'link_password_hash',
      'link_created_at',
    ]),
);

type Inserted = SharedLink & {
  readonly websiteNumber: string;
  readonly limit: number;
  readonly noted: string;
};

/** Inserts the link unless the website has as many as it may have, or has no such segment. */
export const insertLink = statement('insert_shared_link', (p: Placeholders<Inserted>) =>
  noting(
    sql`
    insert into shared_link
      (website_number, id, token_hash, name, segment_id, expires_at, password_hash, created_at)
    select ${p('websiteNumber')}::bigint, ${p('id')}::uuid, ${p('tokenHash')}, ${p('name')}, ${p('segmentId')}::uuid,
      ${p('expiresAt')}::timestamptz, ${p('passwordHash')}, ${p('createdAt')}::timestamptz
    where (select count(*) from shared_link where website_number = ${p('websiteNumber')}::bigint) < ${p('limit')}::integer
      and (${p('segmentId')}::uuid is null or exists (
        select from definition where id = ${p('segmentId')}::uuid and kind = 'segment'
          and website_number = ${p('websiteNumber')}::bigint
      ))`,
    p('noted'),
  ),
);

export const countLinks = statement(
  'count_shared_links',
  (p: Placeholders<{ readonly websiteNumber: string }>) => sql<{ count: number }>`
    select count(*)::integer as count from shared_link where website_number = ${p('websiteNumber')}::bigint`,
);

export const deleteLink = statement(
  'delete_shared_link',
  (p: Placeholders<WebsiteKey & { readonly id: string; readonly noted: string }>) =>
    noting(
      sql`
    delete from shared_link using website
    where website.account_id = ${p('accountId')} and website.id = ${p('websiteId')}
      and shared_link.website_number = website.number and shared_link.id = ${p('id')}`,
      p('noted'),
    ),
);

/** The name of a link that shows this segment. */
export const findNameBySegment = statement(
  'find_shared_link_by_segment',
  (p: Placeholders<{ readonly segmentId: string }>) => sql<{ name: string }>`
    select name from shared_link where segment_id = ${p('segmentId')} order by number limit 1`,
);
