import { isId, isStorable } from '@hitherto/domain/base';
import { type LinkRepository, MAX_LINKS, type SharedLink, tooManyLinks, unknownSegment } from '@hitherto/domain/links';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { build, type Placeholders, statement } from '../connection/statement.ts';
import { toWebsite, WEBSITE_COLUMNS } from '../websites/website-row.ts';
import { createOwned, type OwnedDependencies } from './owned.ts';

/** A link with its website. */
const findByToken = statement('find_link_of_token', (p: Placeholders<{ readonly tokenHash: string }>) =>
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

/** Stores shared links in PostgreSQL. */
export function createLinkRepository(deps: OwnedDependencies): LinkRepository {
  const owned = createOwned<WebsiteKey, SharedLink>(deps, {
    name: 'shared_link',
    owner: 'website',
    columns: {
      name: ['name', 'text'],
      tokenHash: ['token_hash', 'text'],
      segmentId: ['segment_id', 'uuid'],
      expiresAt: ['expires_at', 'timestamptz'],
      passwordHash: ['password_hash', 'text'],
    },
    limit: MAX_LINKS,
    tooMany: tooManyLinks,
    condition: (p) => sql`(${p('segmentId')}::uuid is null or exists (
      select from definition where id = ${p('segmentId')}::uuid and kind = 'segment'
        and website_number = ${p('key')}::bigint
    ))`,
    rejected: unknownSegment,
    // The segment was deleted at the same time.
    conflict: async (constraint) => (constraint === 'shared_link_segment' ? unknownSegment() : undefined),
    toValues: (link) => ({ ...link }),
    toResource: (row) => row,
  });
  return {
    ...owned,

    async insert(website, link, change) {
      if (link.segmentId !== null && !isId(link.segmentId)) throw unknownSegment();
      return owned.insert(website, link, change);
    },

    async findByToken(tokenHash) {
      if (!isStorable(tokenHash)) return undefined;
      const [row] = await deps.database.read(findByToken.with({ tokenHash }));
      if (row === undefined) return undefined;
      const link = {
        id: row.link_id,
        name: row.link_name,
        tokenHash: row.link_token_hash,
        segmentId: row.link_segment_id,
        expiresAt: row.link_expires_at,
        passwordHash: row.link_password_hash,
        createdAt: row.link_created_at,
      };
      return { accountId: row.account_id, website: toWebsite(row), link };
    },
  };
}
