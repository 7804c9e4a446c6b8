import { UNRECORDED } from '@hitherto/domain/changes';
import type { ClaimedTask } from '@hitherto/domain/tasks';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anAccount, aWebsite, dueReports } from '@hitherto/testing/fixtures';
import { expect } from 'vitest';
import type { TestRepositories } from './repositories.ts';

export const WEEK = '2026-W47';
export const END = new Date('2026-11-23T00:00:00.000Z');
export const DUE = [dueReports(WEEK)];
export const BEFORE = new Date('2026-11-22T23:59:59.999Z');
export const MONDAY = new Date('2026-11-23T09:00:00.000Z');

export const after = (minutes: number) => new Date(MONDAY.getTime() + minutes * 60_000);

/** Adds an account whose address is known since this time, or that has none. */
export async function addReader({ access }: TestRepositories, since: Date | null = BEFORE): Promise<string> {
  const id = newId();
  const email = since && { address: `é.${id}@example.com`, since };
  await access.insertAccount(anAccount({ id, name: id, email }), UNRECORDED);
  return id;
}

/** Adds a website whose reports are on. */
export async function addReported(
  { websites }: TestRepositories,
  accountId: string,
  overrides: Partial<Website> = {},
): Promise<Website> {
  const id = newId();
  const website = aWebsite({ id, url: `https://${id}.example/é`, emailReports: true, ...overrides });
  await websites.insert(accountId, website, UNRECORDED);
  return website;
}

export async function change(
  { websites }: TestRepositories,
  accountId: string,
  website: Website,
  changes: Partial<Website>,
): Promise<Website> {
  const changed = { ...website, updatedAt: new Date(website.updatedAt.getTime() + 1), ...changes };
  expect(await websites.replace(accountId, changed, website.updatedAt, UNRECORDED)).toBe(true);
  return changed;
}

/** Claims the report that is due longest, for ten minutes. */
export function claim({ tasks }: TestRepositories, now = MONDAY): Promise<ClaimedTask | undefined> {
  return tasks.claim('report', now, new Date(now.getTime() + 600_000));
}

export async function claimAll(repositories: TestRepositories, now = MONDAY): Promise<ClaimedTask[]> {
  const claimed: ClaimedTask[] = [];
  for (let next = await claim(repositories, now); next; next = await claim(repositories, now)) claimed.push(next);
  return claimed;
}
