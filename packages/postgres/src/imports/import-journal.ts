import { isId } from '@hitherto/domain/base';
import type { DayOfImport, HitJournal } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import { deleteRecord, type ImportKey, recordDone, requireEngine } from './record-import.ts';

type ImportJournal = Pick<HitJournal, 'findImport' | 'importNumbers' | 'endImport' | 'deleteImport'>;

interface FoundImport extends ImportKey {
  readonly isRunning: boolean;
  readonly hasSums: boolean;
  readonly days: readonly DayOfImport[];
}

/** The records of imports whose hits are in an engine outside of this database. */
export function createImportJournal(database: Database, reading: Database): ImportJournal {
  const find = async (importId: string): Promise<FoundImport | undefined> => {
    if (!isId(importId)) return undefined;
    const [row] = await reading.read(
      once(sql<FoundImport>`
        select number::text, website_number::text as "websiteNumber", status = 'running' as "isRunning",
          counts -> 'sums' is not null as "hasSums", (
          select coalesce(json_agg(json_build_object('day', day, 'hits', hits) order by day), '[]')
          from import_day where import_number = number
        ) as days from import where id = ${importId}`),
    );
    return row;
  };

  return {
    async findImport(importId) {
      const found = await find(importId);
      if (found === undefined) return undefined;
      const { number, websiteNumber, isRunning, hasSums, days } = found;
      return { number: BigInt(number), website: BigInt(websiteNumber), isRunning, hasSums, days };
    },

    async importNumbers(which) {
      const rows = await reading.read(
        once(sql<{ number: string }>`select number::text from import where status = ${which}`),
      );
      return rows.map(({ number }) => BigInt(number));
    },

    async endImport(importId, days, counts, event, read) {
      const found = await find(importId);
      if (found === undefined) return false;
      return database.transaction(async (transaction) => {
        await requireEngine(transaction, 'outside');
        return recordDone(transaction, found, days, counts, event, read);
      });
    },

    async deleteImport(importId, { keepsNumbers, change, beforeCommit }) {
      const found = await find(importId);
      if (found === undefined) return false;
      return database.transaction(async (transaction) => {
        await requireEngine(transaction, 'outside');
        if (!(await deleteRecord(transaction, found.number, keepsNumbers, change))) return false;
        await beforeCommit();
        return true;
      });
    },
  };
}
