import { openPostgres, type PostgresRepositories } from '@hitherto/adapters/postgres';
import { COUNT_LIMIT, type CursorPosition } from '@hitherto/domain';
import pg from 'pg';
import { withClient } from './database.ts';
import { spreadOf } from './spread.ts';

/** What PostgreSQL reads for a page of 25, in blocks of 8 KiB, and the time to count the list up to 10,001. */
export interface PageCost {
  readonly pageBuffers: number;
  readonly countBuffers: number;
  readonly countMs: number;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

export const PAGE_ROWS = 25;

/** Explains the statement that reads a page by address: its rows are spread over the table, one per block. */
export async function pageCost(
  url: string,
  accountId: string,
  position: CursorPosition | undefined,
): Promise<PageCost> {
  const asked = await statementsOf(url, (repositories) =>
    repositories.websites.list(accountId, { order: 'address_asc' }, PAGE_ROWS, position),
  );
  const [page] = asked;
  if (page === undefined || asked.length !== 1) throw new Error(`A page takes ${asked.length} statements.`);
  return withClient(url, async (client) => {
    await client.query('set enable_seqscan = off; set jit = off');
    const explain = `explain (analyze, buffers, format json) ${page.text}`;
    await client.query(explain, page.values);
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explain, page.values);
    const root = rows[0]?.['QUERY PLAN'][0]?.Plan;
    const count = root && nodesOf(root).find((node) => node['Node Type'] === 'Aggregate');
    if (root === undefined || count === undefined) throw new Error('A page has no plan with a count in it.');
    return {
      pageBuffers: buffersOf(root) - buffersOf(count),
      countBuffers: buffersOf(count),
      countMs: await countMs(client, accountId),
    };
  });
}

const COUNTS = 21;

/** The median time of the count alone, without EXPLAIN's timing of each row. */
async function countMs(client: pg.Client, accountId: string): Promise<number> {
  const text = `
    explain (analyze, timing off, format json)
    select count(*)::int from (select 1 from website where account_id = $1 order by id limit ${COUNT_LIMIT + 1}) counted`;
  const times: number[] = [];
  while (times.length < COUNTS) {
    const { rows } = await client.query<{ 'QUERY PLAN': { 'Execution Time': number }[] }>(text, [accountId]);
    times.push(rows[0]?.['QUERY PLAN'][0]?.['Execution Time'] ?? Number.NaN);
  }
  return spreadOf(times).median;
}

interface Asked {
  readonly text: string;
  readonly values: unknown[];
}

/** The statements of `work`, as the driver receives them. */
async function statementsOf(
  url: string,
  work: (repositories: PostgresRepositories) => Promise<unknown>,
): Promise<Asked[]> {
  const asked: Asked[] = [];
  const original = pg.Client.prototype.query;
  const repositories = openPostgres({ connection: url, log: () => {} });
  pg.Client.prototype.query = new Proxy(original, {
    apply(target, client, args: unknown[]) {
      const [query] = args;
      if (isAsked(query)) asked.push(query);
      return Reflect.apply(target, client, args);
    },
  });
  try {
    await work(repositories);
  } finally {
    pg.Client.prototype.query = original;
    await repositories.close();
  }
  return asked;
}

function isAsked(query: unknown): query is Asked {
  return typeof query === 'object' && query !== null && 'text' in query && 'values' in query;
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function buffersOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}
