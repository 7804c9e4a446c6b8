import { openHitLookups } from '@hitherto/adapters/lookups';
import {
  addDays,
  type CountedHit,
  type DroppedHits,
  type HitBatchRepository,
  timeZone,
  visitsOf,
} from '@hitherto/domain';
import { aWebsite } from '@hitherto/domain/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillDemo } from '../src/demo/fill.ts';
import { DEMO_URL } from '../src/demo/website.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const TODAY = '2026-11-20';

/** What a demo stores, and after how many hits it settles statistics. */
async function filled() {
  const stored: CountedHit[] = [];
  const dropped: DroppedHits[] = [];
  const settled: { readonly at: Date; readonly after: number }[] = [];
  const batches: HitBatchRepository = {
    find: async () => undefined,
    deleteExpired: async () => false,
    async add(_record, counted, ofBatch) {
      stored.push(...counted);
      dropped.push(...ofBatch);
      return undefined;
    },
  };
  const maintenance = {
    settle: async (now: Date) => void settled.push({ at: now, after: stored.length }),
  };
  const count = await fillDemo(
    {
      batches,
      maintenance,
      lookups: await openHitLookups(),
      zone: timeZone('Europe/Berlin'),
      now: () => NOW,
      randomBytes: (size) => new Uint8Array(size).fill(7),
    },
    aWebsite({ url: DEMO_URL, excludedIps: [], excludedParams: [] }),
  );
  return { count, stored, dropped, settled };
}

describe('The visits of the demo', () => {
  let demo: Awaited<ReturnType<typeof filled>>;
  beforeAll(async () => {
    demo = await filled();
  });

  test('cover 90 days up to now', () => {
    const days = new Set(demo.stored.map(({ day }) => day));
    const latest = Math.max(...demo.stored.map(({ time }) => time.getTime()));

    expect([...days].sort()).toEqual(Array.from({ length: 90 }, (_, index) => addDays(TODAY, index - 89)));
    expect(latest).toBeLessThanOrEqual(NOW.getTime());
    expect(demo.count).toBe(demo.stored.length);
  });

  test('are the same every time', async () => {
    expect(await filled()).toEqual(demo);
  });

  test('have known countries, browsers, systems and sources, and events with properties', () => {
    const { stored } = demo;

    expect(stored.filter(({ country }) => country === null)).toEqual([]);
    expect(new Set(stored.map(({ country }) => country)).size).toBe(15);
    expect(stored.filter(({ browser, os }) => browser === null || os === null)).toEqual([]);
    expect(new Set(stored.map(({ channel }) => channel))).toEqual(
      new Set(['Direct', 'Search', 'Referral', 'AI assistants', 'Social', 'Video', 'Email', 'Paid']),
    );
    expect(new Set(stored.map(({ name }) => name))).toEqual(new Set([null, 'Signup', 'Download', 'Outbound link']));
  });

  test('look real: weekends are quieter, some visits bounce, bots are dropped', () => {
    const visits = visitsOf(demo.stored);
    const bounces = visits.filter(({ pageviews, events }) => pageviews === 1 && events === 0);
    const onDay = (day: string) => visits.filter((visit) => visit.day === day).length;

    expect(visits.length).toBeGreaterThan(10_000);
    expect(bounces.length / visits.length).toBeGreaterThan(0.3);
    expect(bounces.length / visits.length).toBeLessThan(0.6);
    expect(onDay('2026-11-15')).toBeLessThan(0.8 * onDay('2026-11-17'));
    expect(new Set(demo.dropped.map(({ reason }) => reason))).toEqual(new Set(['bot']));
  });

  test('are settled when all are stored', () => {
    expect(demo.settled).toEqual([{ at: NOW, after: demo.count }]);
  });
});
