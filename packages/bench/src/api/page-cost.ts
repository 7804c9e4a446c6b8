import { openPostgres } from '@hitherto/adapters/postgres';
import { COUNT_LIMIT, type CursorPosition } from '@hitherto/domain/websites';
import pg from 'pg';
import { withClient } from '../database.ts';
import { medianOf } from '../figures.ts';

/** The reads of PostgreSQL for a page of 25, in blocks of 8 KiB, and the time to count the list up to 10,001. */
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

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode; readonly 'Execution Time': number }];
}

const PAGE_ROWS = 25;
const COUNTS = 21;

/** Explains the statement that reads a page by address: its rows are spread over the table, one per block. */
export async function pageCost(url: string, accountId: string, position?: CursorPosition): Promise<PageCost> {
  const { text, values } = await statementOfPage(url, accountId, position);
  const count = `select count(*)::int from (select 1 from website where account_id = $1 order by id limit ${COUNT_LIMIT + 1}) counted`;
  return withClient(url, async (client) => {
    const explain = async (options: string, statement: string, parameters: unknown[]) => {
      const { rows } = await client.query<Explained>(`explain (${options}, format json) ${statement}`, parameters);
      const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
      if (plan === undefined) throw new Error('There is no plan.');
      return plan;
    };
    await client.query('set enable_seqscan = off; set jit = off');
    await explain('analyze, buffers', text, values);
    const { Plan: root } = await explain('analyze, buffers', text, values);
    const counting = nodesOf(root).find((node) => node['Node Type'] === 'Aggregate');
    if (counting === undefined) throw new Error('A page has no plan with a count in it.');
    const times: number[] = [];
    while (times.length < COUNTS)
      times.push((await explain('analyze, timing off', count, [accountId]))['Execution Time']);
    const countBuffers = buffersOf(counting);
    return { pageBuffers: buffersOf(root) - countBuffers, countBuffers, countMs: medianOf(times) };
  });
}

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** The statement that reads a page, as the driver receives it. */
async function statementOfPage(url: string, accountId: string, position?: CursorPosition): Promise<Statement> {
  const asked: Statement[] = [];
  const original = pg.Client.prototype.query;
  const repositories = openPostgres({ connection: url, log: () => {} });
  pg.Client.prototype.query = new Proxy(original, {
    apply(target, client, args: unknown[]) {
      if (isStatement(args[0])) asked.push(args[0]);
      return Reflect.apply(target, client, args);
    },
  });
  try {
    await repositories.websites.list(accountId, { order: 'address_asc' }, PAGE_ROWS, position);
  } finally {
    pg.Client.prototype.query = original;
    await repositories.close();
  }
  const [page] = asked;
  if (page === undefined || asked.length !== 1) throw new Error(`A page takes ${asked.length} statements.`);
  return page;
}

function isStatement(query: unknown): query is Statement {
  return typeof query === 'object' && query !== null && 'text' in query && 'values' in query;
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function buffersOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}
