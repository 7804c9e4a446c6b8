import { addressOf, DomainError, type Transfer, type TransferItem, UrlTaken } from '@hitherto/domain';
import { sql } from 'kysely';
import { accessError } from './access/access-repository.ts';
import * as access from './access/access-statements.ts';
import type { Database } from './connection/database.ts';
import { build, once, type Placeholders, statement } from './connection/statement.ts';
import type { Transaction } from './connection/transaction.ts';
import { toRows, toWebsite, WEBSITE_COLUMNS } from './websites/website-row.ts';
import * as websites from './websites/website-statements.ts';

/** How many rows are held at a time: websites with the longest lists have a quarter of a megabyte each. */
const BATCH = 50;
/** Sorts before every id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

type ByType<Type extends TransferItem['type']> = Extract<TransferItem, { type: Type }>;

const exportWebsites = statement(
  'export_websites',
  (p: Placeholders<{ accountId: string; after: string; limit: number }>) =>
    build
      .selectFrom('website')
      .select(['account_id', ...WEBSITE_COLUMNS])
      .where((eb) => eb(eb.refTuple('account_id', 'id'), '>', eb.tuple(p('accountId'), p('after'))))
      .orderBy('account_id')
      .orderBy('id')
      .limit(p('limit')),
);

/** Moves everything out of PostgreSQL or into it, on a connection for background work. */
export function createTransfer(database: Database): Transfer {
  return {
    exportAll: () => database.stream(readAll, { snapshot: true }),

    async importAll(items) {
      try {
        return await database.transaction((transaction) => writeAll(transaction, items));
      } catch (error) {
        throw accessError(error);
      }
    },
  };
}

async function* readAll(transaction: Transaction): AsyncGenerator<TransferItem> {
  const accounts = byId((after) => transaction.query(access.exportAccounts.with({ after, limit: BATCH })));
  for await (const row of accounts) yield { type: 'account', account: access.toAccount(row) };

  const keys = byId((after) => transaction.query(access.exportKeys.with({ after, limit: BATCH })));
  for await (const row of keys) yield { type: 'key', key: access.toKey(row) };

  let last = { account_id: NO_ID, id: NO_ID };
  for (;;) {
    const { rows } = await transaction.query(
      exportWebsites.with({ accountId: last.account_id, after: last.id, limit: BATCH }),
    );
    for (const row of rows) yield { type: 'website', accountId: row.account_id, website: toWebsite(row) };
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end;
  }
}

async function* byId<Row extends { id: string }>(
  read: (after: string) => Promise<{ rows: Row[] }>,
): AsyncGenerator<Row> {
  let after = NO_ID;
  for (;;) {
    const { rows } = await read(after);
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    after = end.id;
  }
}

async function writeAll(transaction: Transaction, items: AsyncIterable<TransferItem>) {
  // Nobody else adds an account until the end, so that empty stays empty.
  await transaction.query(once(sql`lock table account in exclusive mode`));
  const { rows } = await transaction.query(once(build.selectFrom('account').select('id').limit(1)));
  if (rows.length > 0) throw new DomainError('not_empty', 'There are accounts already; import needs none.');

  const counts = { accounts: 0, keys: 0, websites: 0 };
  for await (const batch of batches(items)) {
    const accounts = batch.filter((item): item is ByType<'account'> => item.type === 'account');
    const keys = batch.filter((item): item is ByType<'key'> => item.type === 'key');
    const owned = batch.filter((item): item is ByType<'website'> => item.type === 'website');
    if (accounts.length > 0) await transaction.query(access.insertAccounts(accounts.map(({ account }) => account)));
    if (keys.length > 0) await transaction.query(access.insertKeys(keys.map(({ key }) => key)));
    if (owned.length > 0) await writeWebsites(transaction, owned);
    counts.accounts += accounts.length;
    counts.keys += keys.length;
    counts.websites += owned.length;
  }
  // The planner would otherwise know nothing of the new rows until the server gets round to them.
  await transaction.query(once(sql`analyze account, api_key, website`));
  return counts;
}

/** A failed statement would end the transaction before the holder of an address can be looked up: none fails for that. */
async function writeWebsites(transaction: Transaction, owned: readonly ByType<'website'>[]): Promise<void> {
  const { rows } = await transaction.query(websites.insertWebsites.with({ rows: toRows(owned) }));
  if (rows.length === owned.length) return;
  const added = new Set(rows.map(({ id }) => id));
  for (const { accountId, website } of owned) {
    if (added.has(website.id)) continue;
    const address = addressOf(website.url);
    const { rows: holders } = await transaction.query(websites.findIdByAddress.with({ accountId, address }));
    throw new UrlTaken(holders[0]?.id ?? website.id);
  }
}

async function* batches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    if (batch.push(item) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
