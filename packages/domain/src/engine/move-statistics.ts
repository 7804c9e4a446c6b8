import { setTimeout as sleep } from 'node:timers/promises';
import { compareBytes } from '../base/byte-order.ts';
import { DomainError, unavailable } from '../base/errors.ts';
import { isUnavailable } from '../base/outage.ts';
import { addDays, type Day } from '../calendar/days.ts';
import type { SeriesPoint } from '../visits/totals.ts';
import type { StatisticsEngine } from './statistics-engine.ts';
import type { StatisticsRepository } from './statistics-repository.ts';
import type { ArrivingHits, StatisticsStore, StoredDay, VisitorDay, WebsiteDay } from './statistics-store.ts';

export interface MoveDependencies {
  readonly from: { readonly store: StatisticsStore; readonly statistics: StatisticsRepository };
  readonly to: { readonly store: StatisticsStore } & Pick<StatisticsEngine, 'statistics' | 'maintenance'>;
  readonly arriving: ArrivingHits;
  /** The existing websites, by their numbers. */
  readonly findWebsites: () => Promise<ReadonlyMap<bigint, string>>;
  readonly now: () => Date;
}

/** How far a move is, in hits. */
export interface MoveProgress {
  readonly done: number;
  readonly total: number;
}

/** How long collecting may stop for the last check, in milliseconds: less than hits wait for the database. */
const MAX_CHECK_MS = 4_000;
/** How often a step is tried that waits for locks: it gives up soon each time, because hits wait behind it. */
const MAX_TRIES = 5;
/** Between two tries; in this time the waiting hits are stored, in milliseconds. */
const PAUSE_MS = 1_000;
/** The most days in a batch, and the most hits of all its days; a day with more hits is copied alone. */
const MAX_DAYS = 500;
const MAX_HITS = 20_000;
/** How many days a website may be ahead of UTC, and more. */
const DAYS_AHEAD = 2;

/**
 * Copies the statistics of all websites to another engine, compares the numbers of every day, and gives them to it, while hits
 * are collected. Days that have as many hits there as here are not copied again, so a move that was killed goes on where it was.
 * {@link endMove} deletes what was left behind.
 *
 * @param websiteId copies and compares this website only, and changes no engine
 * @returns how many hits the engine has that they are moved from
 */
export async function moveStatistics(
  deps: MoveDependencies,
  websiteId: string | undefined,
  onProgress: (progress: MoveProgress) => void,
): Promise<number> {
  const { from, to, arriving, now } = deps;
  const websites = [...(await deps.findWebsites())].filter(([, id]) => websiteId === undefined || id === websiteId);
  const changed = new Map<string, WebsiteDay>();
  const isUnchanged = (day: WebsiteDay) => !changed.has(keyOf(day));
  const copyArrived = async () => {
    const copy = async (visitors: readonly VisitorDay[]) => {
      for (const { website, day } of visitors) changed.set(keyOf({ website, day }), { website, day });
      await to.store.replaceVisitors(visitors, await from.store.hitsOfVisitors(visitors));
    };
    while (await arriving.take(copy));
  };
  await patiently(arriving.watch);
  try {
    const numbers = new Set(websites.map(([number]) => number));
    const total = await copyDays(deps, numbers, onProgress);
    await to.store.replaceOldSummaries(await from.store.keptFrom(), from.store.oldSummaries());
    await to.store.replaceImportedSums(from.store.importedSums());
    await copyArrived();
    await to.maintenance.settle(now());
    changed.clear();

    const different = await compare(deps, websites);
    // Days with new hits are compared while collecting stops.
    await copyArrived();
    const wrong = different.filter(isUnchanged);
    for (const day of wrong) await to.store.replaceDays([day], from.store.hitsOf([day]));
    if (wrong.length > 0) await to.maintenance.settle(now());
    const numbersOfWrong = new Set(wrong.map(({ website }) => website));
    const left = await compare(
      deps,
      websites.filter(([number]) => numbersOfWrong.has(number)),
    );
    await copyArrived();
    failIfAny(left.filter(isUnchanged), new Map(websites));
    if (websiteId === undefined) await switchOver(deps, changed, copyArrived);
    else await patiently(arriving.unwatch);
    return total;
  } catch (error) {
    // The next move ends it, if this fails.
    await arriving.unwatch().catch(() => {});
    throw error;
  }
}

/**
 * Deletes the copy of the engine that no longer has the statistics, also after another process was killed before that.
 *
 * @throws DomainError `unavailable` if others use its tables for long
 */
export async function endMove({ from, arriving }: Pick<MoveDependencies, 'from' | 'arriving'>): Promise<void> {
  try {
    await patiently(arriving.unwatch);
    await patiently(from.store.clear);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw unavailable('The copy that is no longer used is not deleted yet: run the command again.', error);
  }
}

async function copyDays(
  { from, to }: MoveDependencies,
  websites: ReadonlySet<bigint>,
  onProgress: (progress: MoveProgress) => void,
): Promise<number> {
  const isWanted = ({ website }: WebsiteDay) => websites.has(website);
  const here = (await from.store.days()).filter(isWanted);
  const there = (await to.store.days()).filter(isWanted);
  const copied = new Map(there.map((day) => [keyOf(day), day.hits]));
  const total = here.reduce((sum, { hits }) => sum + hits, 0);
  const missing = here.filter((day) => copied.get(keyOf(day)) !== day.hits);
  const existing = new Set(here.map(keyOf));
  let done = total - sumOfHits(missing);
  for (const days of batchesOf(missing)) {
    onProgress({ done, total });
    await to.store.replaceDays(days, from.store.hitsOf(days));
    done += sumOfHits(days);
  }
  // Retention deleted them here after they were copied.
  for (const days of batchesOf(there.filter((known) => !existing.has(keyOf(known))))) {
    await to.store.replaceDays(days, from.store.hitsOf(days));
  }
  onProgress({ done: total, total });
  return total;
}

function sumOfHits(days: readonly StoredDay[]): number {
  return days.reduce((sum, { hits }) => sum + hits, 0);
}

/** Batches of days to copy, each within a month, because engines store months apart. */
function batchesOf(days: readonly StoredDay[]): StoredDay[][] {
  const batches: StoredDay[][] = [];
  let hits = 0;
  for (const day of days.toSorted((a, b) => compareBytes(a.day, b.day))) {
    const last = batches.at(-1);
    hits += day.hits;
    if (last?.[0]?.day.slice(0, 7) === day.day.slice(0, 7) && last.length < MAX_DAYS && hits <= MAX_HITS) {
      last.push(day);
    } else {
      batches.push([day]);
      hits = day.hits;
    }
  }
  return batches;
}

/** The last check is of the days whose hits arrived since the numbers were compared. */
async function switchOver(
  deps: MoveDependencies,
  changed: ReadonlyMap<string, WebsiteDay>,
  copyArrived: () => Promise<void>,
): Promise<void> {
  await patiently(async () => {
    await copyArrived();
    await deps.arriving.switchOver(async () => {
      await copyArrived();
      // Includes websites created since the start.
      await checkChanged(deps, await deps.findWebsites(), changed);
    });
  });
}

/** Tries a step again while the database is too busy for it. */
async function patiently(step: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      if (!isUnavailable(error) || tries === MAX_TRIES) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

async function checkChanged(
  deps: MoveDependencies,
  websites: ReadonlyMap<bigint, string>,
  changed: ReadonlyMap<string, WebsiteDay>,
): Promise<void> {
  const deadline = performance.now() + MAX_CHECK_MS;
  for (const website of new Set([...changed.values()].map((day) => day.website))) {
    const id = websites.get(website);
    if (id === undefined) continue;
    const days = [...changed.values()].filter((day) => day.website === website).map(({ day }) => day);
    const [first = '', last = ''] = [days.toSorted()[0], days.toSorted().at(-1)];
    const different = await differences(deps, website, id, first, last);
    failIfAny(
      different.filter((day) => changed.has(keyOf(day))),
      websites,
    );
    if (performance.now() > deadline) {
      throw unavailable(
        'Too many hits arrive to compare the last of them: run the command again when there are fewer.',
      );
    }
  }
}

/** The days whose numbers differ. */
async function compare(
  deps: MoveDependencies,
  websites: readonly (readonly [number: bigint, id: string])[],
): Promise<WebsiteDay[]> {
  const found: WebsiteDay[] = [];
  for (const [website, id] of websites) {
    const firstDays = await Promise.all([deps.from, deps.to].map(({ statistics }) => statistics.firstDay(id)));
    const first = firstDays.filter((day) => day !== undefined).sort()[0];
    if (first === undefined) continue;
    const last = addDays(deps.now().toISOString().slice(0, 10), DAYS_AHEAD);
    found.push(...(await differences(deps, website, id, first, last)));
  }
  return found;
}

async function differences(
  { from, to }: MoveDependencies,
  website: bigint,
  websiteId: string,
  first: Day,
  last: Day,
): Promise<WebsiteDay[]> {
  const query = { websiteId, from: first, to: last, filters: [] };
  const byDay = (points: readonly SeriesPoint[]) =>
    new Map(points.map((point) => [String(point.start), textOf(point)]));
  const [here, there] = await Promise.all([
    from.statistics.series(query, 'day').then(byDay),
    to.statistics.series(query, 'day').then(byDay),
  ]);
  const days = new Set([...here.keys(), ...there.keys()]);
  return [...days].filter((day) => here.get(day) !== there.get(day)).map((day) => ({ website, day }));
}

/** All numbers of a day. */
function textOf(point: SeriesPoint): string {
  const { visitors, visits, pageviews, events, bounces, visitsWithPageviews, duration, gaps = 0 } = point;
  return [visitors, visits, pageviews, events, bounces, visitsWithPageviews, duration, gaps].join();
}

function failIfAny(days: readonly WebsiteDay[], websites: ReadonlyMap<bigint, string>): void {
  const [first] = days;
  if (first === undefined) return;
  const count = days.length === 1 ? '1 day' : `${days.length} days`;
  throw new DomainError(
    'precondition_failed',
    `The numbers of ${count} differ, first on ${first.day} of website ${websites.get(first.website)}. Nothing was switched; run the command again.`,
  );
}

function keyOf({ website, day }: WebsiteDay): string {
  return `${website} ${day}`;
}
