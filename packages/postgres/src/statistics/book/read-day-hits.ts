import { setImmediate as otherWork } from 'node:timers/promises';
import type { Day } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { createDayHits, type DayHits } from '../columns/day-hits.ts';
import { dayOf, keyOfDay, keyOfRow, websiteNumberOf } from '../columns/hit-rows.ts';
import { hitsOfPart } from '../columns/part.ts';
import { rowsOfDays, type WebsiteDay } from '../website-days.ts';
import { readParts, type StoredPart } from './read.ts';
import { type HitFields, hitRowsOf, readHitRows } from './read-hit-rows.ts';
import { COUNTS } from './store-part.ts';

/** The hits of a day of a website. */
export interface HitsOfWebsiteDay {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly hits: DayHits;
}

/** Reads all hits of days that count; days without any are missing. */
export async function readDayHits(
  transaction: Transaction,
  days: readonly WebsiteDay[],
  fields?: HitFields,
): Promise<readonly HitsOfWebsiteDay[]> {
  if (days.length === 0) return [];
  const gathered = gatherDays();
  await gathered.addParts(await readParts(transaction, sql`${rowsOfDays('book', days)} where ${COUNTS}`));
  await gathered.addRows(transaction, hitRowsOf(rowsOfDays('hit', days), fields));
  return gathered.days();
}

/** Hits by day. */
export interface GatheredDays {
  addParts(parts: readonly StoredPart[]): Promise<void>;
  /** @param rows a statement without parameters that has the fields of `hitRowsOf` */
  addRows(transaction: Transaction, rows: Parameters<typeof readHitRows>[1]): Promise<void>;
  days(): readonly HitsOfWebsiteDay[];
}

/** @param isChosen whether hits of the visitor with these high bits are gathered */
export function gatherDays(isChosen?: (high: number) => boolean): GatheredDays {
  const days = new Map<number, HitsOfWebsiteDay>();
  const addDay = (key: number, websiteNumber: string, day: Day): DayHits => {
    const hits = createDayHits(day);
    days.set(key, { websiteNumber, hits });
    return hits;
  };

  return {
    async addParts(parts) {
      for (const part of parts) {
        const key = keyOfDay(part.websiteNumber, part.day);
        const hits = days.get(key)?.hits ?? addDay(key, part.websiteNumber, part.day);
        hits.addPart(hitsOfPart(part), isChosen);
        await otherWork();
      }
    },

    async addRows(transaction, rows) {
      await readHitRows(transaction, rows, (row) => {
        const key = keyOfRow(row);
        (days.get(key)?.hits ?? addDay(key, websiteNumberOf(row), dayOf(row))).add(row);
      });
    },

    days: () => [...days.values()],
  };
}

/** The days of a website that have hits in the book between two moments. */
export async function daysWithHitsBetween(
  { query }: Pick<Transaction, 'query'>,
  websiteNumber: string,
  days: readonly Pick<WebsiteDay, 'day'>[],
  since: Date,
  until: Date,
): Promise<ReadonlySet<Day>> {
  if (days.length === 0) return new Set();
  const { rows } = await query(
    once(sql<{ day: Day }>`
      select distinct book.day::text as day
      from ${rowsOfDays(
        'book',
        days.map(({ day }) => ({ websiteNumber, day })),
      )}
      where last_time >= ${sql.lit(since.getTime())} and first_time <= ${sql.lit(until.getTime())} and ${COUNTS}`),
  );
  return new Set(rows.map(({ day }) => day));
}
