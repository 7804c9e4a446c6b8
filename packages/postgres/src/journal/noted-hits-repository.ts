import { setTimeout as sleep } from 'node:timers/promises';
import { isId, isUnavailable, type Log, RETRY_MS } from '@hitherto/domain/base';
import { MAX_NOTED_VALUES, NOTED, type NotedHits, type NotedHitsRepository } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { errorCodeOf } from '../connection/errors.ts';
import { once } from '../connection/statement.ts';
import { createTally } from './tally.ts';

/** The notes of checks in PostgreSQL. `close` writes the rest; it gives up immediately if the database is unreachable. */
export function createNotedHitsRepository(
  reads: Database,
  background: Database,
  log: Log,
): NotedHitsRepository & { close(): Promise<void> } {
  let isClosing = false;

  /** Notes are approximate: a batch with an unknown outcome may count twice. */
  async function write(noted: readonly NotedHits[]): Promise<void> {
    for (;;) {
      try {
        await background.query(once(insertNotes(noted)));
        return;
      } catch (error) {
        if (!isUnavailable(error) || isClosing) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  const tally = createTally<NotedHits>({
    keyOf: ({ websiteId, day, kind, value }) => `${websiteId} ${day} ${kind} ${value}`,
    sum: (one, other) => ({ ...one, hits: one.hits + other.hits }),
    write,
    onFailure: (error) => log('warn', 'Notes of checks were lost', { code: errorCodeOf(error) }),
  });

  return {
    add(noted) {
      if (isId(noted.websiteId)) tally.add(noted);
    },

    async list(websiteId, from, to) {
      if (!isId(websiteId)) return [];
      const rows = await reads.read(
        once(sql<Omit<NotedHits, 'websiteId'>>`
          select day::text as day, kind, value, hits::double precision as hits from noted_hit
          where website_number = (select number from website where id = ${websiteId})
            and day between ${from}::date and ${to}::date and kind = any(${NOTED})`),
      );
      return rows.map((row) => ({ websiteId, ...row }));
    },

    async deleteBefore(day) {
      await background.query(once(sql`delete from noted_hit where day < ${day}::date`));
    },

    async deleteAll(websiteId) {
      if (!isId(websiteId)) return;
      await background.query(
        once(sql`
          delete from noted_hit
          where website_number in (select number from deleted_website where id = ${websiteId})`),
      );
    },

    close() {
      isClosing = true;
      return tally.close();
    },
  };
}

/** Adds to the notes. Rows are written in a fixed order, so that two statements never deadlock. */
function insertNotes(noted: readonly NotedHits[]) {
  return sql`
    with added as (
      select number, day, kind, value, added.hits,
        row_number() over (partition by number, day, kind order by value)
          + (select count(*) from noted_hit known
            where known.website_number = number and known.day = added.day and known.kind = added.kind) as place
      from unnest(
        ${noted.map(({ websiteId }) => websiteId)}::uuid[],
        ${noted.map(({ day }) => day)}::date[],
        ${noted.map(({ kind }) => kind)}::text[],
        ${noted.map(({ value }) => value)}::text[],
        ${noted.map(({ hits }) => hits)}::bigint[]
      ) added (website_id, day, kind, value, hits) join website on website.id = added.website_id
    )
    insert into noted_hit (website_number, day, kind, value, hits)
    select number, day, kind, value, hits from added
    where place <= ${MAX_NOTED_VALUES} or exists (
      select from noted_hit known where known.website_number = number and known.day = added.day
        and known.kind = added.kind and known.value = added.value)
    order by number, day, kind, value
    on conflict (website_number, day, kind, value) do update set hits = noted_hit.hits + excluded.hits`;
}
