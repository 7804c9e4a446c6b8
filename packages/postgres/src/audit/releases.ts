import type { Release, ReleaseRepository } from '@hitherto/domain/records';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

const noteRelease = statement(
  'note_release',
  (p: Placeholders<Release>) => sql`
    insert into release (version, bots, sources, started_at)
    select ${p('version')}::text, ${p('bots')}::text, ${p('sources')}::text, ${p('at')}::timestamptz
    where not exists (
      select 1 from (select bots, sources from release order by number desc limit 1) as last
      where bots = ${p('bots')}::text and sources = ${p('sources')}::text)`,
);

const listReleases = statement(
  'list_releases',
  () => sql<Release>`select version, bots, sources, started_at as at from release order by number`,
);

/** Stores in PostgreSQL which lists counted since when. */
export function createReleaseRepository(database: Database): ReleaseRepository {
  return {
    async note(release) {
      await database.query(noteRelease.with({ ...release }));
    },

    async list() {
      return database.read(listReleases.with({}));
    },
  };
}
