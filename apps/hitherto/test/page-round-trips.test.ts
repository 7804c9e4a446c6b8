import { UNRECORDED } from '@hitherto/domain/changes';
import type { CountedHit } from '@hitherto/domain/hits';
import { newId } from '@hitherto/outside/system';
import { openPostgres, type PostgresRepositories } from '@hitherto/postgres';
import { aCountedHit, aWebsite } from '@hitherto/testing/fixtures';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountedDatabase, startCountedDatabase } from './support/counted-database.ts';
import { serveFaces } from './support/faces.ts';

// One page is one reading: one snapshot, whose days are found once.

const NOW = new Date('2026-11-20T12:00:00.000Z');

let database: CountedDatabase;
let repositories: PostgresRepositories;
let faces: Awaited<ReturnType<typeof serveFaces>>;

beforeAll(async () => {
  database = await startCountedDatabase();
  repositories = openPostgres({ connection: database.url, log: () => {} });
  faces = await serveFaces(() => NOW, repositories);
});

afterAll(async () => {
  await faces?.app.close();
  await repositories?.close();
  await database?.close();
});

/** A public website with hits of 60 days, all over but the last. */
async function aWebsiteWithHits(): Promise<string> {
  const website = aWebsite({ id: newId(), url: `https://${newId()}.example`, privacy: 'public' });
  await repositories.websites.insert(faces.accountId, website, UNRECORDED);
  await repositories.hits.add(Array.from({ length: 60 }, (_, days) => hitsOfDay(website.id, days)).flat());
  await repositories.maintenance.settle(NOW);
  return website.id;
}

function hitsOfDay(websiteId: string, daysAgo: number): CountedHit[] {
  const time = new Date(NOW.getTime() - daysAgo * 86_400_000 - 60_000);
  const day = time.toISOString().slice(0, 10);
  return ['/a', '/b'].map((page, number) =>
    aCountedHit({ websiteId, day, time, visitor: BigInt(daysAgo * 10 + number), page, name: null, props: null }),
  );
}

async function open(websiteId: string, below = ''): Promise<void> {
  const { status, text } = await faces.send('GET', `/statistics/${websiteId}${below}`, { headers: { cookie: '' } });
  expect(status, text).toBe(200);
}

/** How often a page waits for the database. It was opened before, and a hit has come since. */
async function roundTrips(websiteId: string, below?: string): Promise<number> {
  await open(websiteId, below);
  await open(websiteId, below);
  await repositories.hits.add(hitsOfDay(websiteId, 0));
  const before = database.readyCount();
  await open(websiteId, below);
  return database.readyCount() - before;
}

describe('round trips to the database', () => {
  it('at most ten for a statistics page', async () => {
    expect(await roundTrips(await aWebsiteWithHits())).toBeLessThanOrEqual(10);
  });

  it('at most fourteen with goals and a funnel', async () => {
    const websiteId = await aWebsiteWithHits();
    const base = `/api/v1/websites/${websiteId}`;
    for (const payload of [
      { name: 'A', page: '/a' },
      { name: 'B', page: '/b' },
    ]) {
      await faces.send('POST', `${base}/goals`, { payload });
    }
    const steps = [
      { name: 'A', page: '/a' },
      { name: 'B', page: '/b' },
    ];
    expect((await faces.send('POST', `${base}/funnels`, { payload: { name: 'F', steps } })).status).toBe(201);

    expect(await roundTrips(websiteId)).toBeLessThanOrEqual(14);
  });

  it('at most twenty for the page that tells why a number changed', async () => {
    expect(await roundTrips(await aWebsiteWithHits(), '/change')).toBeLessThanOrEqual(20);
  });
});
