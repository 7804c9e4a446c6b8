import { isDeepStrictEqual } from 'node:util';
import { nextVersion } from '@hitherto/domain/base';
import { UNRECORDED } from '@hitherto/domain/changes';
import { CLEANUP, type NewRule, settleCleanup } from '@hitherto/domain/cleanups';
import {
  forgetDeletedWebsite,
  type RebuildScope,
  type StatisticsEngine,
  type StatisticsQuery,
} from '@hitherto/domain/engine';
import type { CountedHit, Dimension } from '@hitherto/domain/hits';
import type { Repositories } from '@hitherto/domain/repositories';
import { allOf, type FilterSet, valueFilter } from '@hitherto/domain/visits';
import { type WebsiteKey, wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { aCountedHit, anAccount, aWebsite } from '@hitherto/testing/fixtures';

/** What the contracts of statistics reach an adapter through. */
export type StatisticsPorts = Repositories & StatisticsEngine;

/** Makes empty repositories; those made before are no longer used. */
export type MakePorts = () => Promise<StatisticsPorts>;

type Owners = Pick<StatisticsPorts, 'access' | 'websites'>;

/** Adds an account with one website. */
export async function addWebsite(
  ports: Owners,
  timeZone: string | null = null,
): Promise<{ accountId: string; websiteId: string }> {
  const accountId = await addAccount(ports);
  return { accountId, websiteId: await insertWebsite(ports, accountId, timeZone) };
}

/** Adds another website of an account. */
export async function addWebsiteTo(ports: Owners, accountId: string): Promise<WebsiteKey> {
  return { accountId, websiteId: await insertWebsite(ports, accountId, null) };
}

/** Adds an account with websites in these time zones, and returns their ids. */
export async function addWebsites(ports: Owners, timeZones: readonly (string | null)[]): Promise<string[]> {
  const accountId = await addAccount(ports);
  return Promise.all(timeZones.map((timeZone) => insertWebsite(ports, accountId, timeZone)));
}

async function addAccount({ access }: Owners): Promise<string> {
  const id = newId();
  await access.insertAccount(anAccount({ id, name: id, email: null }), UNRECORDED);
  return id;
}

async function insertWebsite({ websites }: Owners, accountId: string, timeZone: string | null): Promise<string> {
  const id = newId();
  await websites.insert(accountId, aWebsite({ id, url: `https://${id}.example`, timeZone }), UNRECORDED);
  return id;
}

/** Applies a cleanup with this rule. */
export async function applyCleanup(ports: StatisticsPorts, websiteId: string, rule: NewRule): Promise<void> {
  const website = await keyOf(ports, websiteId);
  const id = newId();
  const cleanup = CLEANUP.make({ ...ports, now: () => new Date(), newId: () => id }, { name: id, ...rule });
  await ports.cleanups.insert(website, cleanup, UNRECORDED);
  await untilDone(() => settleCleanup({ ...ports, now: () => new Date() }));
}

/** Undoes the first cleanup with this rule that is there. */
export function undoCleanup(ports: StatisticsPorts, websiteId: string, rule: NewRule): Promise<void> {
  return changeCleanup(ports, websiteId, rule, 'undoing');
}

/** Deletes the hits that it hides. */
export function eraseCleanup(ports: StatisticsPorts, websiteId: string, rule: NewRule): Promise<void> {
  return changeCleanup(ports, websiteId, rule, 'erasing');
}

async function changeCleanup(
  ports: StatisticsPorts,
  websiteId: string,
  rule: NewRule,
  status: 'undoing' | 'erasing',
): Promise<void> {
  const website = await keyOf(ports, websiteId);
  const all = (await ports.cleanups.list(website)) ?? [];
  const found = all.find(({ match, filters, from, to }) => isDeepStrictEqual({ match, filters, from, to }, rule));
  if (found === undefined) throw new Error('There is no such cleanup.');
  await ports.cleanups.replace(website, { ...found, status }, found.updatedAt, UNRECORDED);
  await untilDone(() => settleCleanup({ ...ports, now: () => new Date() }));
}

/** Sets the rules that show the pages of a website. */
export async function setPageRules(
  ports: Pick<StatisticsPorts, 'directory' | 'websites'>,
  websiteId: string,
  pageRules: readonly string[],
): Promise<void> {
  const { accountId } = await keyOf(ports, websiteId);
  const website = await ports.websites.find(wholeAccount(accountId), websiteId);
  if (website === undefined) throw new Error('There is no such website.');
  const updatedAt = nextVersion(website, new Date());
  await ports.websites.replace(accountId, { ...website, pageRules, updatedAt }, website.updatedAt, UNRECORDED);
}

async function keyOf({ directory }: Pick<StatisticsPorts, 'directory'>, websiteId: string): Promise<WebsiteKey> {
  const found = await directory.findById(websiteId);
  if (found === undefined) throw new Error('There is no such website.');
  return { accountId: found.accountId, websiteId };
}

/** Adds hits as one batch. */
export function addHits({ hits }: Pick<StatisticsPorts, 'hits'>, batch: readonly CountedHit[]): Promise<void> {
  return hits.add(batch);
}

/** Adds hits as a batch that counts once per key, whichever instance adds it. */
export async function addHitsOnce(
  { batches }: Pick<StatisticsPorts, 'batches'>,
  keyHash: string,
  hits: readonly CountedHit[],
): Promise<void> {
  const collected = { counted: hits.length, dropped: [] };
  const record = { keyHash, fingerprint: '', collected, expiresAt: new Date('2100-01-01') };
  await batches.add(record, hits, [], new Date());
}

/** A hit at this time of 2026-11-20, such as `12:00`. */
export function at(time: string, overrides: Partial<CountedHit> = {}): CountedHit {
  return aCountedHit({ time: new Date(`2026-11-20T${time.padEnd(8, ':00')}.123Z`), ...overrides });
}

/** All of November 2026 without filters, unless told otherwise. */
export function aQuery(websiteId: string, overrides: Partial<StatisticsQuery> = {}): StatisticsQuery {
  return { websiteId, from: '2026-11-01', to: '2026-11-30', filters: [], ...overrides };
}

/** Chooses the visits with a value of a dimension. */
export interface ValueFilter {
  readonly dimension: Dimension;
  readonly value: string | null;
}

/** Filters that must all match. */
export function all(...filters: readonly ValueFilter[]): readonly FilterSet[] {
  return allOf(filters.map(({ dimension, value }) => valueFilter(dimension, value)));
}

/** Runs `work` until it says that nothing is left. */
export async function untilDone(work: () => Promise<boolean>): Promise<void> {
  for (let calls = 0; await work(); calls += 1) {
    if (calls > 10_000) throw new Error('There is no end of it.');
  }
}

/** Settles statistics as on the day `today`; by default all days are over. */
export function settle({ maintenance }: Pick<StatisticsPorts, 'maintenance'>, today = '2027-02-01'): Promise<void> {
  return maintenance.settle(new Date(`${today}T12:00:00.000Z`));
}

/** A day on which no day of the tests is over. */
export const BEFORE = '2026-01-01';

/** Runs one of the engine's jobs until nothing is left to do, as on the day `today`. */
export async function runJob({ maintenance }: StatisticsPorts, name: string, today = '2027-02-01'): Promise<void> {
  const job = maintenance.jobs(() => new Date(`${today}T12:00:00.000Z`)).find((known) => known.name === name);
  if (job === undefined) throw new Error(`There is no job "${name}".`);
  await untilDone(() => job.work(new AbortController().signal));
}

/** Deletes the statistics of all deleted websites that are due. */
export function forgetDeletedWebsites(ports: StatisticsPorts): Promise<void> {
  return untilDone(() => forgetDeletedWebsite(ports));
}

/** Rebuilds statistics as on the day `today`. */
export function rebuild(
  { maintenance }: Pick<StatisticsPorts, 'maintenance'>,
  scope: RebuildScope = {},
  today = '2027-02-01',
) {
  return maintenance.rebuild(scope, new Date(`${today}T12:00:00.000Z`));
}
