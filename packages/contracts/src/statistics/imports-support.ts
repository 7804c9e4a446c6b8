import { createHash } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { CountedHit } from '@hitherto/domain/hits';
import { type Import, NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { type DaySum, NO_TOTALS } from '@hitherto/domain/visits';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { expect } from 'vitest';
import { at, type StatisticsPorts } from './support.ts';

type ImportPorts = Pick<StatisticsPorts, 'imports' | 'staging'>;

/** When imports begin and end. */
export const NOW = new Date('2027-02-01T12:00:00.000Z');
export const PROBLEM = { code: 'invalid_file', detail: 'line 3: é' } as const;

/** A text with what PostgreSQL stores in no string, and with what only looks like it. */
export const UNSTORABLE = 'line 3: é\0 \ud83d 🦊 "\\u0000"';

/** A running import of a file of its own. */
export function anImport(websiteId: string, overrides: Partial<Import> = {}): Import {
  return {
    ...NO_IMPORT_COUNTS,
    id: newId(),
    websiteId,
    format: 'hitherto',
    sha256: createHash('sha256').update(newId()).digest('hex'),
    status: 'running',
    problem: null,
    createdAt: NOW,
    ...overrides,
  };
}

/** Adds an import, and begins to read it. */
export async function beginImport(
  { imports }: ImportPorts,
  website: WebsiteKey,
  overrides: Partial<Import> = {},
): Promise<Import> {
  const imported = anImport(website.websiteId, overrides);
  expect(await imports.insert(website, imported, UNRECORDED)).toBeUndefined();
  expect(await imports.begin(imported.id, NOW)).toBe('begun');
  return imported;
}

/** Imports hits, in two parts. */
export async function importHits(
  ports: ImportPorts,
  website: WebsiteKey,
  hits: readonly CountedHit[],
): Promise<Import> {
  const imported = await beginImport(ports, website);
  await ports.staging.stage(imported.id, hits.slice(0, 2));
  await ports.staging.stage(imported.id, hits.slice(2));
  const counts = { ...NO_IMPORT_COUNTS, hits: hits.length, rows: hits.length, share: 1 };
  expect(await ports.staging.publish(imported.id, counts, NOW, undefined, undefined)).toBe(true);
  return imported;
}

/** Imports a log whose days may have hits of other origins, and returns the id of the import. */
export async function importWholeLog(
  { imports, staging }: ImportPorts,
  website: WebsiteKey,
  hits: readonly CountedHit[],
  now = NOW,
): Promise<string> {
  const imported = anImport(website.websiteId, { format: 'access-log', createdAt: now });
  const { id } = imported;
  await imports.insert(website, imported, UNRECORDED);
  await staging.stage(id, hits);
  const to = { beginning: { bytes: 1, sha256: '' }, offset: 1, second: 1, linesOfSecond: 1 };
  const read = { logs: [{ log: id, from: undefined, to }], also: true };
  expect(await staging.publish(id, { ...NO_IMPORT_COUNTS, hits: hits.length }, now, undefined, read)).toBe(true);
  return id;
}

/** The hits of a website that an export has. */
export async function readHits(
  { staging }: Pick<StatisticsPorts, 'staging'>,
  websiteId: string,
): Promise<CountedHit[]> {
  const found: CountedHit[] = [];
  for await (const hit of staging.hits(websiteId)) found.push(hit);
  return found;
}

/** A hit at noon of a day. */
export function hitOf(
  websiteId: string,
  day: string,
  visitor: bigint,
  overrides: Partial<CountedHit> = {},
): CountedHit {
  return at('12:00', { websiteId, day, visitor, time: new Date(`${day}T12:00:00.123Z`), ...overrides });
}

/** Three visits on two days, one with an event. */
export function someHits(websiteId: string): CountedHit[] {
  return [
    hitOf(websiteId, '2026-10-30', 11n),
    hitOf(websiteId, '2026-10-30', 11n, { time: new Date('2026-10-30T12:10:00.000Z'), page: '/é 🦊' }),
    hitOf(websiteId, '2026-10-30', 12n, { name: 'Signup', props: { plan: 'pro' }, country: 'FR' }),
    hitOf(websiteId, '2026-11-20', 13n, { source: 'Google' }),
  ];
}

/** The numbers of a day by a value of a kind; those that are not given are 0. */
export function aSum(day: string, kind: DaySum['kind'], value: string | null, numbers: Partial<DaySum>): DaySum {
  return { ...NO_TOTALS, ...numbers, day, kind, value };
}

/** Adds an import of sums that runs, with these sums staged, and returns its id. */
export async function stageSums(ports: ImportPorts, website: WebsiteKey, sums: readonly DaySum[]): Promise<string> {
  const { id } = await beginImport(ports, website, { format: 'plausible' });
  await ports.staging.stageSums(id, sums);
  return id;
}

/** Imports sums of days. */
export async function importSums(ports: ImportPorts, website: WebsiteKey, sums: readonly DaySum[]): Promise<string> {
  const id = await stageSums(ports, website, sums);
  const dimensions = sums.map(({ kind }) => kind).filter((kind) => kind !== 'total');
  const counts = { ...NO_IMPORT_COUNTS, rows: sums.length, share: 1, sums: [...new Set(dimensions)] };
  expect(await ports.staging.publish(id, counts, NOW, undefined, undefined)).toBe(true);
  return id;
}
