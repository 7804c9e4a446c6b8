import {
  type DefinitionItemOf,
  type DefinitionKind,
  DomainError,
  ItemRejected,
  NO_COUNTS,
  type RejectionCode,
  rejectionCodeOf,
  type Transfer,
  type TransferCounts,
  type TransferItem,
} from '@hitherto/domain';
import { sql } from 'kysely';
import * as access from './access/access-statements.ts';
import { exportAlerts, importAlert } from './alerts/alert-repository.ts';
import { toNoted, toTold } from './changes.ts';
import type { Database } from './connection/database.ts';
import { classify } from './connection/errors.ts';
import { build, once, type Placeholders, statement } from './connection/statement.ts';
import type { Transaction } from './connection/transaction.ts';
import { insertDefinition } from './definitions/definition-repository.ts';
import { exportDefinitions } from './definitions/definition-statements.ts';
import { insertAnnotation } from './sharing/annotation-repository.ts';
import { exportAnnotations } from './sharing/annotation-statements.ts';
import { insertLink } from './sharing/link-repository.ts';
import { exportLinks } from './sharing/link-statements.ts';
import { exportWebhooks, importWebhook } from './webhooks/webhook-repository.ts';
import { toRows, toWebsite, WEBSITE_COLUMNS } from './websites/website-row.ts';
import * as websites from './websites/website-statements.ts';

/** How many rows are in memory at a time; a website with the longest lists takes a quarter of a megabyte. */
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

/** Exports everything from PostgreSQL, or imports it, on a connection for background work. */
export function createTransfer(database: Database): Transfer {
  return {
    exportAll: () => database.stream(readAll, { snapshot: true }),

    importAll: (items) => database.transaction((transaction) => writeAll(transaction, items)),
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
    if (end === undefined) break;
    last = end;
  }

  yield* readDefinitions(transaction, 'goal');
  yield* readDefinitions(transaction, 'segment');
  yield* readDefinitions(transaction, 'funnel');

  const links = byNumber((after) => transaction.query(exportLinks.with({ after, limit: BATCH })));
  for await (const { accountId, websiteId, ...link } of links) yield { type: 'link', accountId, websiteId, link };
  const annotations = byNumber((after) => transaction.query(exportAnnotations.with({ after, limit: BATCH })));
  for await (const { accountId, websiteId, ...annotation } of annotations)
    yield { type: 'annotation', accountId, websiteId, annotation };
  const alerts = byNumber((after) => transaction.query(exportAlerts.with({ after, limit: BATCH })));
  for await (const { accountId, websiteId, ...alert } of alerts) yield { type: 'alert', accountId, websiteId, alert };
  const webhooks = byNumber((after) => transaction.query(exportWebhooks.with({ after, limit: BATCH })));
  for await (const { accountId, failingSince: _, sealedUrl, sealedSecret, ...settings } of webhooks) {
    const sealed = { sealedUrl: sealedUrl.toString('base64'), sealedSecret: sealedSecret?.toString('base64') ?? null };
    yield { type: 'webhook', accountId, webhook: { ...settings, ...sealed } };
  }
}

async function* readDefinitions<Kind extends DefinitionKind>(
  transaction: Transaction,
  type: Kind,
): AsyncGenerator<DefinitionItemOf<Kind>> {
  const found = byNumber((after) => transaction.query(exportDefinitions(type, after, BATCH)));
  for await (const { accountId, websiteId, ...definition } of found) yield { type, accountId, websiteId, definition };
}

/** Rows in the order of their numbers. */
async function* byNumber<Row extends { number: string }>(
  read: (after: string) => Promise<{ rows: Row[] }>,
): AsyncGenerator<Omit<Row, 'number'>> {
  for (let after = '0'; ; ) {
    const { rows } = await read(after);
    for (const { number: _, ...row } of rows) yield row;
    const end = rows.at(-1);
    if (end === undefined) return;
    after = end.number;
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
  // No other transaction can add an account until the end, so the database stays empty.
  await transaction.query(once(sql`lock table account in exclusive mode`));
  const { rows } = await transaction.query(once(build.selectFrom('account').select('id').limit(1)));
  if (rows.length > 0)
    throw new DomainError('not_empty', 'The database already has accounts; import needs an empty one.');

  const counts: { -readonly [Name in keyof TransferCounts]: number } = { ...NO_COUNTS };
  let before = 0;
  for await (const batch of batches(items)) {
    await writeOrReject(transaction, batch, before);
    before += batch.length;
    for (const { type } of batch) counts[`${type}s`] += 1;
  }
  // Otherwise the planner would not know of the new rows until the next autoanalyze.
  await transaction.query(
    once(sql`analyze account, api_key, website, definition, shared_link, annotation, alert, webhook`),
  );
  return counts;
}

/** Writes a batch. If that fails, writes its records one by one, to find the one to reject. */
async function writeOrReject(transaction: Transaction, batch: readonly TransferItem[], before: number): Promise<void> {
  await transaction.query(once(sql`savepoint batch`));
  try {
    await write(transaction, batch);
  } catch (error) {
    if (rejectionOf(error) === undefined) throw error;
    await transaction.query(once(sql`rollback to savepoint batch`));
    for (const [index, item] of batch.entries()) {
      await write(transaction, [item]).catch((cause: unknown) => {
        const code = rejectionOf(cause);
        throw code === undefined ? cause : new ItemRejected(code, item, before + index + 1, { cause });
      });
    }
    throw error;
  }
  await transaction.query(once(sql`release savepoint batch`));
}

async function write(transaction: Transaction, items: readonly TransferItem[]): Promise<void> {
  const accounts = items.filter((item): item is ByType<'account'> => item.type === 'account');
  const keys = items.filter((item): item is ByType<'key'> => item.type === 'key');
  const owned = items.filter((item): item is ByType<'website'> => item.type === 'website');
  if (accounts.length > 0) await transaction.query(access.insertAccounts(accounts.map(({ account }) => account)));
  if (keys.length > 0) await transaction.query(access.insertKeys(keys.map(({ key }) => key)));
  if (owned.length > 0)
    await transaction.query(
      websites.insertWebsites.with({ rows: toRows(owned), ...toNoted(undefined), ...toTold(undefined) }),
    );
  // One by one, because their numbers are their order.
  for (const item of items)
    if ('definition' in item) await insertDefinition(transaction, item.type, item, item.definition);
    else if (item.type === 'annotation') await insertAnnotation(transaction, item, item.annotation);
    else if (item.type === 'alert') await importAlert(transaction, item);
    else if (item.type === 'webhook') await importWebhook(transaction, item);
    else if ('link' in item && !(await insertLink(transaction, item, item.link)))
      throw new DomainError('not_found', 'The website or the segment is gone.');
}

/** Why a record was rejected, by the constraint that it broke. */
function rejectionOf(error: unknown): RejectionCode | undefined {
  if (error instanceof DomainError) return rejectionCodeOf(error);
  const failure = classify(error);
  if (failure.kind === 'foreign_key') return 'not_found';
  if (failure.kind !== 'unique') return undefined;
  if (failure.constraint === 'account_name_key' || failure.constraint === 'definition_name_taken') return 'name_taken';
  if (failure.constraint === 'website_alias_taken') return 'alias_taken';
  return failure.constraint === 'website_address_taken' ? 'url_taken' : 'id_taken';
}

/** Batches of consecutive records of one type, which keeps accounts before their websites and keys. */
async function* batches(items: AsyncIterable<TransferItem>): AsyncGenerator<TransferItem[]> {
  let batch: TransferItem[] = [];
  for await (const item of items) {
    if (batch.length === BATCH || (batch[0] !== undefined && batch[0].type !== item.type)) {
      yield batch;
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length > 0) yield batch;
}
