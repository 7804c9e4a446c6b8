import { setTimeout as sleep } from 'node:timers/promises';
import { type Hit, type HitLookups, MAX_WAITING_HITS, rememberSalts, timeZone, unavailable } from '@hitherto/domain';
import { aWebsite } from '@hitherto/domain/testing';
import { describe, expect, test } from 'vitest';
import { createCollection } from '../src/collect.ts';
import { createDroppedCounter } from '../src/dropped-counter.ts';
import { createGroupCommit } from '../src/group-commit.ts';
import { createWebsiteSettings } from '../src/website-settings.ts';
import { createDirectory } from './support/directory.ts';
import { createFaultyHits } from './support/faulty-hits.ts';

const WEBSITE = aWebsite();
const HIT: Hit = {
  url: `${WEBSITE.url}/page`,
  ip: '198.51.100.1',
  userAgent: 'Mozilla/5.0 é',
  time: new Date('2026-11-20T23:30:00Z'),
  sender: 'browser',
};

const LOOKUPS: HitLookups = {
  isBot: (userAgent) => userAgent.includes('bot'),
  deviceOf: () => ({ browser: 'Firefox', os: 'Linux', device: 'desktop' }),
  countryOf: () => 'DE',
  sourceOf: () => undefined,
  isSpamReferrer: () => false,
};

function collectionOf({ zone = 'UTC' } = {}) {
  const hits = createFaultyHits();
  const directory = createDirectory({ accountId: 'é', website: WEBSITE });
  const days: string[] = [];
  let batches = 0;
  const newId = () => {
    batches += 1;
    return String(batches);
  };
  const dropped = createDroppedCounter({ hits, newId }, () => {});
  const { find } = createWebsiteSettings({
    directory,
    clock: () => performance.now(),
    signal: new AbortController().signal,
  });
  const collection = createCollection({
    lookups: LOOKUPS,
    salts: rememberSalts(
      {
        async saltOf(day, fresh) {
          days.push(day);
          if (hits.away) throw unavailable('away');
          return fresh;
        },
        deleteBefore: async () => 0,
      },
      (size) => new Uint8Array(size),
    ),
    group: createGroupCommit({ hits, newId, onCommit: () => {} }),
    dropped,
    zone: timeZone(zone),
    lifecycle: { isPrepared: true, isStopping: false },
  });
  const collect = (hit: Hit) => collection.collect(WEBSITE.id, find, hit);
  return { collect, collection, hits, directory, dropped, days };
}

describe('a hit', () => {
  test('that counts is stored, without the address and the user agent', async () => {
    const { collect, hits } = collectionOf();

    const reason = await collect(HIT);

    expect(reason).toBeUndefined();
    expect(hits.stored).toMatchObject([
      { websiteId: WEBSITE.id, day: '2026-11-20', page: '/a%20b/%F0%9F%A6%8A/page', country: 'DE', browser: 'Firefox' },
    ]);
    expect(JSON.stringify(hits.stored, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(
      /198\.51|Mozilla/,
    );
  });

  test('counts on the day in the time zone, under that day’s salt', async () => {
    const { collect, hits, days } = collectionOf({ zone: 'Europe/Berlin' });

    await collect(HIT);

    expect(hits.stored).toMatchObject([{ day: '2026-11-21' }]);
    expect(days).toEqual(['2026-11-21']);
  });

  test('that is dropped adds to the counter of its reason and is not stored', async () => {
    const { collect, hits, dropped } = collectionOf();

    const reason = await collect({ ...HIT, userAgent: 'a bot' });
    await dropped.close();

    expect(reason).toBe('bot');
    expect(hits.stored).toEqual([]);
    expect(hits.dropped).toEqual([{ websiteId: WEBSITE.id, day: '2026-11-20', reason: 'bot', hits: 1 }]);
  });

  test('of an unknown website is refused', async () => {
    const { collect, directory } = collectionOf();
    directory.entries.length = 0;

    await expect(collect(HIT)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('while the database is away', () => {
  test('hits wait for salts, settings and their commit', async () => {
    const { collect, collection, hits, directory } = collectionOf();
    hits.away = true;
    directory.gate = Promise.reject(unavailable('away'));
    directory.gate.catch(() => {});

    const collecting = collect(HIT);
    await sleep(300);
    const during = { waiting: collection.waiting(), longest: collection.longestWait() };
    directory.gate = Promise.resolve();
    hits.away = false;
    await collecting;

    expect(during.waiting).toBe(1);
    expect(during.longest).toBeGreaterThan(0.2);
    expect(hits.stored).toHaveLength(1);
    expect([collection.waiting(), collection.longestWait()]).toEqual([0, 0]);
  });

  test('at most 20,000 hits wait', async () => {
    const { collect, hits } = collectionOf();
    hits.away = true;
    const waiting = Array.from({ length: MAX_WAITING_HITS }, () => collect(HIT));

    await expect(collect(HIT)).rejects.toMatchObject({
      name: 'DomainError',
      code: 'unavailable',
    });

    hits.away = false;
    await Promise.all(waiting);
    expect(hits.stored).toHaveLength(MAX_WAITING_HITS);
  });
});
