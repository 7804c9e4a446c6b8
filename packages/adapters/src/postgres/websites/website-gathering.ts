import { DomainError } from '@hitherto/domain';
import type { Database } from '../connection/database.ts';
import { spoilsConnection } from '../connection/errors.ts';
import type { toRow } from './website-row.ts';
import { insertTogether } from './website-statements.ts';

type Row = ReturnType<typeof toRow>;

/** So many inserts of one account are under way before further ones wait for company. */
const UNDER_WAY = 2;
/** An insert that takes longer, because of a lock say, keeps nobody waiting any more. */
const PATIENCE_MS = 50;
/** More save hardly more, and one slow statement would keep more of them waiting. */
const MAX_ROWS = 8;

interface Waiting {
  readonly row: Row;
  readonly settle: (added: boolean) => void;
  readonly fail: (error: unknown) => void;
}

interface Line {
  underWay: number;
  waiting: Waiting[];
}

/**
 * Inserts websites: alone, through `alone`, unless the account has some under way. Those that come meanwhile go into one
 * statement, which costs little more than one of theirs: one commit, one visit, one plan. The accounts keep to themselves,
 * so that none waits for a lock of another. What has not been added in company, because its address is taken or another
 * row failed the statement, is inserted alone, and so comes to what it would have come to at once.
 */
export function createGathering(database: Database): (row: Row, alone: () => Promise<void>) => Promise<void> {
  const lines = new Map<string, Line>();

  async function run(line: Line, accountId: string, work: () => Promise<void>): Promise<void> {
    line.underWay += 1;
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      line.underWay -= 1;
      const next = line.waiting.splice(0, MAX_ROWS);
      if (next.length > 0) void run(line, accountId, () => insertAll(next));
      else if (line.underWay === 0) lines.delete(accountId);
    };
    const patience = setTimeout(end, PATIENCE_MS);
    try {
      await work();
    } finally {
      clearTimeout(patience);
      end();
    }
  }

  async function insertAll(company: readonly Waiting[]): Promise<void> {
    try {
      const rows = JSON.stringify(company.map(({ row }) => row));
      const answer = await database.query(insertTogether.with({ rows }));
      const added = new Set(answer.rows.map(({ id }) => id));
      for (const { row, settle } of company) settle(added.has(row.id));
    } catch (error) {
      // Where the connection was lost, nobody knows whether they were added.
      const isLost = error instanceof DomainError && spoilsConnection(error.cause);
      for (const { settle, fail } of company) isLost ? fail(error) : settle(false);
    }
  }

  return async (row, alone) => {
    const line = lines.get(row.account_id) ?? { underWay: 0, waiting: [] };
    lines.set(row.account_id, line);
    if (line.underWay < UNDER_WAY) return run(line, row.account_id, alone);
    const added = await new Promise<boolean>((settle, fail) => {
      line.waiting.push({ row, settle, fail });
    });
    return added ? undefined : alone();
  };
}
