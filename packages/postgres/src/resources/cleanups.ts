import { NameTaken } from '@hitherto/domain/base';
import {
  type Cleanup,
  type CleanupRepository,
  type HiddenNumbers,
  MAX_CLEANUPS,
  tooManyCleanups,
  type WaitingCleanup,
} from '@hitherto/domain/cleanups';
import type { FilterSet } from '@hitherto/domain/visits';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once, type Placeholders, statement } from '../connection/statement.ts';
import { forgetNumbers } from '../statistics/jobs/forget-numbers.ts';
import { waitForWorkLock } from '../statistics/jobs/work-lock.ts';
import { createOwned, type OwnedDependencies } from './owned.ts';

type CleanupRow = Omit<Cleanup, 'match' | 'filters'> & { readonly content: FilterSet };

const findIdByName = statement(
  'find_cleanup_by_name',
  (p: Placeholders<WebsiteKey & { readonly name: string }>) => sql<{ id: string }>`
    select cleanup.id from website join cleanup on cleanup.website_number = website.number
    where website.account_id = ${p('accountId')} and website.id = ${p('websiteId')} and cleanup.name = ${p('name')}`,
);

/** Ids of one account and website may be gone by the time a cleanup is found. */
const findWaiting = statement(
  'find_waiting_cleanup',
  () => sql<{ accountId: string; websiteId: string; id: string }>`
    select website.account_id as "accountId", website.id as "websiteId", cleanup.id
    from cleanup join website on website.number = website_number where status <> 'active' order by cleanup.number limit 1`,
);

/**
 * Stores cleanups in PostgreSQL.
 *
 * @param jobs for what changes numbers
 */
export function createCleanupRepository(deps: OwnedDependencies, jobs: Database): CleanupRepository {
  const owned = createOwned<WebsiteKey, Cleanup, CleanupRow>(deps, {
    name: 'cleanup',
    owner: 'website',
    columns: {
      name: ['name', 'text'],
      content: ['content', 'json'],
      from: ['first_day', 'date'],
      to: ['last_day', 'date'],
      status: ['status', 'text'],
      hidden: ['hidden', 'json'],
      erasedAt: ['erased_at', 'timestamptz'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    limit: MAX_CLEANUPS,
    tooMany: tooManyCleanups,
    toValues: ({ match, filters, hidden, ...cleanup }) => ({
      ...cleanup,
      content: JSON.stringify({ match, filters }),
      hidden: hidden && JSON.stringify(hidden),
    }),
    toResource: ({ content, ...cleanup }) => ({ ...cleanup, ...content }),

    async conflict(_constraint, { accountId, websiteId = '' }, resource) {
      if (!('name' in resource) || typeof resource.name !== 'string') return undefined;
      const { rows } = await deps.database.query(findIdByName.with({ accountId, websiteId, name: resource.name }));
      return rows[0] && new NameTaken(rows[0].id);
    },
  });

  /** Changes the row, and forgets the numbers of its days, which are counted from their hits until they are made again. */
  const settle = (
    { cleanup: { id, status } }: WaitingCleanup,
    change: (row: RawBuilder<unknown>) => RawBuilder<unknown>,
  ): Promise<boolean> =>
    jobs.transaction(async (transaction) => {
      await waitForWorkLock(transaction);
      const row = sql`id = ${id} and status = ${status}`;
      const { rows } = await transaction.query(
        once(sql<ChangedDays>`
          with changed as (${change(row)} returning website_number, first_day, last_day)
          select website_number as "websiteNumber", first_day::text as "from", last_day::text as "to" from changed`),
      );
      for (const { websiteNumber, ...days } of rows) await forgetNumbers(transaction, websiteNumber, days);
      return rows.length > 0;
    });

  return {
    ...owned,
    async waiting() {
      const [found] = await jobs.read(findWaiting.with({}));
      if (found === undefined) return undefined;
      const { id, ...website } = found;
      const cleanup = await owned.find(website, id);
      return cleanup && { ...website, cleanup };
    },

    apply: (waiting, hidden: HiddenNumbers) =>
      settle(
        waiting,
        (row) => sql`update cleanup set status = 'active', hidden = ${JSON.stringify(hidden)}::json where ${row}`,
      ),
    async erased({ cleanup: { id } }, at) {
      const { count } = await jobs.query(
        once(sql`update cleanup set status = 'active', erased_at = ${at} where id = ${id} and status = 'erasing'`),
      );
      return count > 0;
    },
    undo: (waiting) => settle(waiting, (row) => sql`delete from cleanup where ${row}`),
  };
}

interface ChangedDays {
  readonly websiteNumber: string;
  readonly from: string | null;
  readonly to: string | null;
}
