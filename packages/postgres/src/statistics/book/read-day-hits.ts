import { setImmediate as otherWork } from 'node:timers/promises';
import type { Day } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { createDayHits, type DayHits } from '../columns/day-hits.ts';
import { hitsOfPart } from '../columns/part.ts';
import { remembered } from '../columns/visit-columns.ts';
import { rowsOfDays, type WebsiteDay } from '../website-days.ts';
import { readParts, type StoredPart } from './read.ts';
import { COUNTS } from './store-part.ts';
import { type HitOfBatch, readWaitingHits } from './waiting-hits.ts';

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
): Promise<readonly HitsOfWebsiteDay[]> {
  if (days.length === 0) return [];
  const gathered = gatherDays();
  await gathered.addParts(await readParts(transaction, sql`${rowsOfDays(days)} where ${COUNTS}`));
  await readWaitingHits(transaction, days, gathered.addHit);
  return gathered.days();
}

/** Hits by day. */
export interface GatheredDays {
  addParts(parts: readonly StoredPart[]): Promise<void>;
  addHit(hit: HitOfBatch): void;
  days(): readonly HitsOfWebsiteDay[];
}

/** @param isChosen whether hits of the visitor with these high bits are gathered */
export function gatherDays(isChosen: (high: number) => boolean = () => true): GatheredDays {
  const days = new Map<string, HitsOfWebsiteDay>();
  const hitsOf = ({ websiteNumber, day }: WebsiteDay) =>
    remembered(days, `${websiteNumber} ${day}`, () => ({ websiteNumber, hits: createDayHits(day) })).hits;

  return {
    async addParts(parts) {
      for (const part of parts) {
        hitsOf(part).addPart(hitsOfPart(part), isChosen);
        await otherWork();
      }
    },

    addHit({ hit, ...day }) {
      if (isChosen(Number(hit.visitor >> 32n))) hitsOf(day).addHit(hit);
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
      from ${rowsOfDays(days.map(({ day }) => ({ websiteNumber, day })))}
      where last_time >= ${sql.lit(since.getTime())} and first_time <= ${sql.lit(until.getTime())} and ${COUNTS}`),
  );
  return new Set(rows.map(({ day }) => day));
}
