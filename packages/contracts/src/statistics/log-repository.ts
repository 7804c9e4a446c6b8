import { UNRECORDED } from '@hitherto/domain/changes';
import type { LogBatch, LogCheckpoint } from '@hitherto/domain/imports';
import { beforeEach, expect, it } from 'vitest';
import { addWebsite, aQuery, at, type MakePorts, type StatisticsPorts } from './support.ts';

const NOBODY = '01997c3e-0000-7000-8000-00000000dead';

const aCheckpoint = (offset: number): LogCheckpoint => ({
  beginning: { bytes: 3, sha256: 'é' },
  offset,
  second: 1_795_175_970,
  linesOfSecond: 2,
  secret: 'x',
});

/** The contract of `LogRepository`. */
export function logRepositoryContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let accountId: string;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    ({ accountId, websiteId } = await addWebsite(ports));
  });

  const batch = (more: Partial<LogBatch> = {}): LogBatch => ({
    websiteId,
    log: 'access.log',
    from: undefined,
    to: aCheckpoint(10),
    hits: [at('12:00', { websiteId })],
    dropped: [{ websiteId, day: '2026-11-20', reason: 'bot', hits: 2 }],
    crawled: [
      { websiteId, day: '2026-11-20', operator: 'Google', purpose: 'search', page: '/', hits: 1, hits4xx: 1 },
      { websiteId, day: '2026-11-20', operator: 'Google', purpose: 'search', page: '/a', hits: 1, hits4xx: 0 },
    ],
    ...more,
  });
  const numbers = async () => ({
    hits: (await ports.statistics.totals(aQuery(websiteId))).pageviews,
    dropped: (await ports.droppedHits.byReason(websiteId, '2026-11-01', '2026-11-30'))[0]?.hits,
    crawled: (await ports.crawlers.byDay(websiteId, '2026-11-01', '2026-11-30'))[0],
  });
  const ONCE = { hits: 1, dropped: 2, crawled: { day: '2026-11-20', hits: 2, hits4xx: 1 } };

  it('adds hits, counters and the place of a log that is new', async () => {
    expect(await ports.logs.checkpoint(websiteId, 'access.log')).toBeUndefined();
    expect(await ports.logs.followedDays(websiteId)).toStrictEqual([]);

    expect(await ports.logs.add(batch())).toBe(true);

    expect(await numbers()).toStrictEqual(ONCE);
    expect(await ports.logs.checkpoint(websiteId, 'access.log')).toStrictEqual(aCheckpoint(10));
    expect(await ports.logs.checkpoint(websiteId, 'other.log')).toBeUndefined();
    expect(await ports.logs.followedDays(websiteId)).toStrictEqual(['2026-11-20']);
  });

  it('goes on from the place that was read', async () => {
    await ports.logs.add(batch());
    const { secret: _, ...next } = aCheckpoint(20);

    expect(await ports.logs.add(batch({ from: aCheckpoint(10), to: next, dropped: [], crawled: [] }))).toBe(true);

    expect(await numbers()).toStrictEqual({ ...ONCE, hits: 2 });
    expect(await ports.logs.checkpoint(websiteId, 'access.log')).toMatchObject({ offset: 20 });
  });

  it('has the places of all logs of a website, in the order of their names', async () => {
    const other = await addWebsite(ports);
    expect(await ports.logs.checkpoints(websiteId)).toStrictEqual(new Map());
    await ports.logs.add(batch({ log: 'é 1.log' }));
    await ports.logs.add(batch({ log: 'Z.log', to: aCheckpoint(20) }));
    await ports.logs.add(batch({ log: 'a.log', to: aCheckpoint(30) }));
    await ports.logs.add(batch({ websiteId: other.websiteId, log: 'b.log', hits: [], dropped: [], crawled: [] }));

    expect([...(await ports.logs.checkpoints(websiteId))]).toStrictEqual([
      ['Z.log', aCheckpoint(20)],
      ['a.log', aCheckpoint(30)],
      ['é 1.log', aCheckpoint(10)],
    ]);
  });

  it('has the days of its hits, each once', async () => {
    const hits = ['2026-11-19', '2026-11-18', '2026-11-19'].map((day) => at('12:00', { websiteId, day }));
    await ports.logs.add(batch());
    await ports.logs.add(batch({ log: 'other.log', hits }));
    await ports.logs.add(batch({ log: 'empty.log', hits: [] }));

    expect(await ports.logs.followedDays(websiteId)).toStrictEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
  });

  it('adds nothing if the log was read further meanwhile', async () => {
    await ports.logs.add(batch());

    expect(await ports.logs.add(batch())).toBe(false);
    expect(await ports.logs.add(batch({ from: aCheckpoint(5) }))).toBe(false);
    expect(await ports.logs.add(batch({ log: 'other.log', from: aCheckpoint(10) }))).toBe(false);

    expect(await numbers()).toStrictEqual(ONCE);
  });

  it('adds one of concurrent batches from the same place', async () => {
    const added = await Promise.all(Array.from({ length: 8 }, () => ports.logs.add(batch())));

    expect(added.filter((isAdded) => isAdded)).toHaveLength(1);
    expect(await numbers()).toStrictEqual(ONCE);
  });

  it('keeps logs and websites apart', async () => {
    const other = await addWebsite(ports);
    await ports.logs.add(batch());

    expect(await ports.logs.add(batch({ log: 'b', hits: [] }))).toBe(true);
    expect(await ports.logs.add(batch({ websiteId: other.websiteId, hits: [], dropped: [], crawled: [] }))).toBe(true);

    expect(await ports.logs.checkpoint(other.websiteId, 'b')).toBeUndefined();
  });

  it('adds nothing to unknown and deleted websites', async () => {
    await ports.logs.add(batch());
    await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);

    for (const id of [websiteId, NOBODY, "' or 1=1 --"]) {
      expect(await ports.logs.add(batch({ websiteId: id, from: aCheckpoint(10) }))).toBe(false);
      expect(await ports.logs.add(batch({ websiteId: id }))).toBe(false);
      expect(await ports.logs.checkpoint(id, 'access.log')).toBeUndefined();
      expect(await ports.logs.checkpoints(id)).toStrictEqual(new Map());
      expect(await ports.logs.followedDays(id)).toStrictEqual([]);
    }
  });
}
