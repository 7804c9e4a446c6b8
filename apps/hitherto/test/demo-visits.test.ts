import { randomUUID } from 'node:crypto';
import { addDays, timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import { runChecks } from '@hitherto/domain/checks';
import type { CountedHit, CrawlerHits, DroppedHits, HitBatchRepository, NotedHits } from '@hitherto/domain/hits';
import { conversionsOf, stepsReached, sumOfProperty, visitsOf } from '@hitherto/domain/visits';
import { createInMemoryRepositories } from '@hitherto/memory';
import { openHitLookups } from '@hitherto/outside/lookups';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_FUNNEL, DEMO_GOALS } from '../src/demo/definitions.ts';
import { fillDemo } from '../src/demo/fill.ts';
import { DEMO_URL } from '../src/demo/website.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const TODAY = '2026-11-20';

const WEBSITE = aWebsite({ url: DEMO_URL, excludedIps: [], excludedParams: [] });

/** What a demo stores, and after how many hits it settles statistics. */
async function filled() {
  const stored: CountedHit[] = [];
  const dropped: DroppedHits[] = [];
  const crawled: CrawlerHits[] = [];
  const noted: NotedHits[] = [];
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
    keptFrom: async () => '0001-01-01',
  };
  const count = await fillDemo(
    {
      batches,
      crawlers: { add: (one) => void crawled.push(one) },
      notedHits: { add: (one) => void noted.push(one) },
      maintenance,
      lookups: await openHitLookups(),
      zone: timeZone('Europe/Berlin'),
      now: () => NOW,
      randomBytes: (size) => new Uint8Array(size).fill(7),
    },
    WEBSITE,
  );
  return { count, stored, dropped, crawled, noted, settled };
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
    expect(new Set(demo.crawled.map(({ operator }) => operator))).toEqual(new Set(['Google']));
  });

  test('reach the goals and the steps of the funnel, some of them', () => {
    const visits = visitsOf(demo.stored);
    const rates = DEMO_GOALS.map(
      ({ content }) => visits.filter((visit) => conversionsOf(visit, content.rule).length > 0).length / visits.length,
    );
    const rules = DEMO_FUNNEL.content.steps.map(({ rule }) => rule);
    const reached = visits.map((visit) => stepsReached(visit, { steps: rules, isStrict: false }));
    const steps = rules.map((_, step) => reached.filter((count) => count > step).length);
    const signups = demo.stored.filter(({ name }) => name === 'Signup');

    expect(rates[0]).toBeGreaterThan(0.01);
    expect(rates[0]).toBeLessThan(0.05);
    expect(rates[1]).toBeGreaterThan(0.2);
    expect(rates[1]).toBeLessThan(0.7);
    expect(steps[1]).toBeLessThan(0.5 * (steps[0] ?? 0));
    expect(steps[2]).toBeLessThan(0.5 * (steps[1] ?? 0));
    expect(steps[2]).toBeGreaterThan(30);
    expect(Number(sumOfProperty(signups, 'amount'))).toBeGreaterThan(1_000);
  });

  test('have nothing wrong that a check finds', async () => {
    const repositories = createInMemoryRepositories();
    const account = anAccount();
    await repositories.access.insertAccount(account, UNRECORDED);
    await repositories.websites.insert(account.id, WEBSITE, UNRECORDED);
    await repositories.hits.add(demo.stored.filter(({ day }) => day >= addDays(TODAY, -29)));
    for (const noted of demo.noted) repositories.notedHits.add(noted);
    const opened: string[] = [];

    await runChecks({
      ...repositories,
      timeZones: async () => [],
      zone: timeZone('Europe/Berlin'),
      now: () => NOW,
      newId: randomUUID,
      onOpened: ({ data }) => opened.push(data.finding.text),
    });

    expect(opened).toEqual([]);
  });

  test('are settled when all are stored', () => {
    expect(demo.settled).toEqual([{ at: NOW, after: demo.count }]);
  });
});
