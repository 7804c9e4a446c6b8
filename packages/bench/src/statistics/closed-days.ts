import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresRepositories } from '@hitherto/adapters/postgres';
import { addDays } from '@hitherto/domain/calendar';
import { rowsOf } from '@hitherto/testing/databases';
import { settle } from '../api/fill.ts';
import { numberIn, withClient, withRepositories } from '../database.ts';
import type { Run } from '../run.ts';
import { catchUp } from './collecting.ts';
import { copyFirstDay, sumUpWeeks } from './copy-day.ts';
import { fillDay, markChanged } from './fill-hits.ts';
import type { HitWebsite } from './hits.ts';

/** The days of a page. */
export const PERIOD_DAYS = 28;
/** Fills the period of the page, and the one before that it is compared with. */
export const CLOSED_DAYS = 2 * PERIOD_DAYS;

/**
 * Fills days that are over. The visits and the summary of the first are made as the service does it the day after; the others
 * are copies of it.
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
  const perDay = Math.ceil(hits / CLOSED_DAYS);
  const days = Array.from({ length: CLOSED_DAYS }, (_, n) => addDays(today, n - CLOSED_DAYS));
  const [first = ''] = days;
  const number = await withRepositories(databaseUrl, async ({ maintenance }) => {
    for (const day of days.filter((_, index) => index % 28 === 0)) await maintenance.settle(new Date(day));
    const filled = await fillOneDay(databaseUrl, website, first, perDay);
    await maintenance.settle(new Date(addDays(first, 1)));
    return filled;
  });
  await withClient(databaseUrl, async (client) => {
    for (const [index, day] of days.entries()) {
      if (index > 0) await copyFirstDay(client, number, index);
      if (index % 7 === 0) progress(`filling: ${day}, ${perDay.toLocaleString('en')} hits a day`);
    }
    await sumUpWeeks(client, number);
  });
  await settle(databaseUrl);
}

/** Fills one day and makes its visits, not its summary; returns the website's number. */
export async function fillOneDay(databaseUrl: string, website: HitWebsite, day: string, hits: number): Promise<string> {
  const websiteNumber = await numberOf(databaseUrl, website);
  await fillDay(databaseUrl, { websiteNumber, host: website.host, day, hits });
  // No day is over at that time, so no summaries are made.
  await withRepositories(databaseUrl, ({ maintenance }) =>
    maintenance.rebuild({ websiteId: website.id }, new Date(day)),
  );
  return websiteNumber;
}

/** Fills the past hours of today; the running service makes the visits, and it or this process the running summary. */
export async function fillToday(databaseUrl: string, website: HitWebsite, today: string, hits: number): Promise<void> {
  const number = await numberOf(databaseUrl, website);
  const seconds = (Date.now() - Date.parse(today)) / 1_000;
  await fillDay(databaseUrl, { websiteNumber: number, host: website.host, day: today, hits, seconds });
  await withClient(databaseUrl, (client) => markChanged(client, number, today));
  await catchUp(databaseUrl);
  const hasBegun = 'select from website_day where website_number = $1 and running_zone is not null';
  await settleUntil(databaseUrl, hasBegun, [number]);
}

/** Settles days as the service does, until the query finds a row. */
export function settleUntil(databaseUrl: string, query: string, values: unknown[]): Promise<void> {
  return maintainUntil(databaseUrl, ({ maintenance }) => maintenance.settle(new Date()), query, values);
}

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
