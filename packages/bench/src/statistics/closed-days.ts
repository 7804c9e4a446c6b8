import { setTimeout as sleep } from 'node:timers/promises';
import { addDays } from '@hitherto/domain/calendar';
import type { PostgresRepositories } from '@hitherto/postgres';
import { rowsOf } from '@hitherto/testing/databases';
import { numberIn, vacuum, withRepositories } from '../database.ts';
import type { Run } from '../run.ts';
import { catchUp } from './collecting.ts';
import { fillDay } from './fill-hits.ts';
import type { HitWebsite } from './hits.ts';

/** The days of a page. */
export const PERIOD_DAYS = 28;
/** Fills the period of the page, and the one before that it is compared with. */
export const CLOSED_DAYS = 2 * PERIOD_DAYS;

/**
 * Fills days that are over, with their numbers and columns.
 *
 * @param hits of all these days together
 */
export async function fillClosedDays(
  { progress }: Run,
  databaseUrl: string,
  website: HitWebsite,
  today: string,
  hits: number,
): Promise<void> {
  const websiteNumber = await numberOf(databaseUrl, website);
  await withRepositories(databaseUrl, async ({ maintenance }) => {
    const days = Array.from({ length: CLOSED_DAYS }, (_, n) => addDays(today, n - CLOSED_DAYS));
    // Makes the partitions of these months.
    for (const day of days.filter((_, index) => index % PERIOD_DAYS === 0)) await maintenance.settle(new Date(day));
    for (const day of days) {
      progress(`filling: ${day}`);
      await fillDay(databaseUrl, { websiteNumber, host: website.host, day, hits: Math.ceil(hits / CLOSED_DAYS) });
    }
    await maintenance.rebuild({ websiteId: website.id }, new Date(), ({ done, total }) =>
      progress(`making numbers and columns: ${done} of ${total} days`),
    );
  });
  await vacuum(databaseUrl);
}

/** Fills one day without making its numbers; returns the website's number. */
export async function fillOneDay(databaseUrl: string, website: HitWebsite, day: string, hits: number): Promise<string> {
  const websiteNumber = await numberOf(databaseUrl, website);
  await fillDay(databaseUrl, { websiteNumber, host: website.host, day, hits });
  // No day is over at that time, so no numbers are made.
  await withRepositories(databaseUrl, ({ maintenance }) =>
    maintenance.rebuild({ websiteId: website.id }, new Date(day)),
  );
  return websiteNumber;
}

/** Fills the past hours of today. */
export async function fillToday(databaseUrl: string, website: HitWebsite, today: string, hits: number): Promise<void> {
  const number = await numberOf(databaseUrl, website);
  const seconds = (Date.now() - Date.parse(today)) / 1_000;
  await fillDay(databaseUrl, { websiteNumber: number, host: website.host, day: today, hits, seconds });
  await catchUp(databaseUrl);
}

/** Settles days, as the service does. */
export const settleNow = ({ maintenance }: PostgresRepositories): Promise<unknown> => maintenance.settle(new Date());

/** Runs a piece of background work again and again, as the service does, until the query finds a row. */
export function maintainUntil(
  databaseUrl: string,
  work: (repositories: PostgresRepositories) => Promise<unknown>,
  query: string,
  values: unknown[] = [],
): Promise<void> {
  return withRepositories(databaseUrl, async (repositories) => {
    while ((await rowsOf(databaseUrl, query, values)).length === 0) {
      await work(repositories);
      await sleep(100);
    }
  });
}

/** The website's number in the database. */
export async function numberOf(databaseUrl: string, { id }: HitWebsite): Promise<string> {
  return String(await numberIn(databaseUrl, 'select number as value from website where id = $1', [id]));
}
