import { UNRECORDED } from '@hitherto/domain/changes';
import { type CountedHit, type CrawlerHits, MAX_CRAWLER_VALUES } from '@hitherto/domain/hits';
import { type Import, type LogCheckpoint, NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { beforeEach, describe, expect, it } from 'vitest';
import { anImport, hitOf, importHits, importWholeLog, NOW, PROBLEM } from './imports-support.ts';
import {
  addHits,
  addWebsite,
  aQuery,
  at,
  type MakePorts,
  rebuild,
  type StatisticsPorts,
  settle,
  untilDone,
} from './support.ts';

/**
 * The contract of imports of access logs.
 *
 * @param hasRecords whether it includes what the main database records of them, which is the same for every engine outside of it
 */
export function importedLogsContract(makePorts: MakePorts, hasRecords: boolean): void {
  let ports: StatisticsPorts;
  let website: WebsiteKey;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    website = await addWebsite(ports);
    websiteId = website.websiteId;
  });

  const whole = () => aQuery(websiteId, { from: '2026-01-01', to: '2027-12-31' });
  const aPlace = (offset: number): LogCheckpoint => ({
    beginning: { bytes: 3, sha256: 'é' },
    offset,
    second: 1_795_175_970,
    linesOfSecond: 2,
  });
  const crawled = (day: string, page: string, hits = 1): CrawlerHits => ({
    websiteId,
    day,
    operator: 'Google',
    purpose: 'search',
    page,
    hits,
    hits4xx: 1,
  });
  const crawlers = async () => ({
    days: await ports.crawlers.byDay(websiteId, '2026-01-01', '2026-12-31'),
    pages: await ports.crawlers.values(websiteId, '2026-01-01', '2026-12-31', 'page', 3),
  });
  const checkpoint = () => ports.logs.checkpoint(websiteId, 'access.log');

  /** Imports a part of the log `access.log`. */
  async function importLog(
    hits: readonly CountedHit[],
    [from, to]: [LogCheckpoint | undefined, LogCheckpoint] = [undefined, aPlace(10)],
    { also = false, of = [] as CrawlerHits[] } = {},
  ): Promise<Import> {
    const imported = anImport(websiteId, { format: 'access-log' });
    await ports.imports.insert(website, imported, UNRECORDED);
    await ports.staging.stage(imported.id, hits);
    for (const one of of) await ports.imports.stageCrawlers(imported.id, [one]);
    const counts = { ...NO_IMPORT_COUNTS, hits: hits.length };
    const read = { logs: [{ log: 'access.log', from, to }], also };
    expect(await ports.staging.publish(imported.id, counts, NOW, undefined, read)).toBe(true);
    return imported;
  }

  it('may cover the same days as others of them, but not as files', async () => {
    await importLog([hitOf(websiteId, '2026-10-30', 1n)]);
    await importLog([hitOf(websiteId, '2026-10-30', 2n), hitOf(websiteId, '2026-10-31', 3n)], [aPlace(10), aPlace(20)]);

    expect(await ports.statistics.totals(whole())).toMatchObject({ pageviews: 3, visitors: 3 });
    await expect(importHits(ports, website, [hitOf(websiteId, '2026-10-31', 4n)])).rejects.toMatchObject({
      code: 'import_overlap',
    });
  });

  it('may cover the days of files only if both may count', async () => {
    await importHits(ports, website, [hitOf(websiteId, '2026-10-31', 4n)]);

    await expect(importLog([hitOf(websiteId, '2026-10-31', 1n)])).rejects.toMatchObject({ code: 'import_overlap' });
    expect(await checkpoint()).toBeUndefined();
    await importLog([hitOf(websiteId, '2026-10-31', 1n)], undefined, { also: true });

    expect(await ports.statistics.totals(whole())).toMatchObject({ pageviews: 2 });
  });

  describe('on a day whose hits are no longer kept', () => {
    const DAY = '2026-10-30';
    const deleteHits = () => untilDone(() => ports.maintenance.deleteHitsBefore('2026-11-01'));
    const pages = async () => {
      const { rows } = await ports.statistics.values(whole(), 'page', 10);
      return rows.map(({ value }) => value).sort();
    };

    it('count in addition to its summary, each of them', async () => {
      await addHits(ports, [hitOf(websiteId, DAY, 1n, { page: '/collected' })]);
      await deleteHits();

      await importLog([hitOf(websiteId, DAY, 2n, { page: '/first' })], undefined, { also: true });
      const late = { time: new Date(`${DAY}T15:00:00Z`), page: '/second' };
      await importLog([hitOf(websiteId, DAY, 3n, late)], [aPlace(10), aPlace(20)], { also: true });

      const read = async () => ({
        totals: await ports.statistics.totals(whole()),
        hours: await ports.statistics.series(whole(), 'hour'),
        pages: await pages(),
      });
      const added = await read();
      expect(added).toMatchObject({
        totals: { visitors: 3, visits: 3, pageviews: 3 },
        hours: [{ visits: 2 }, { visits: 1 }],
        pages: ['/collected', '/first', '/second'],
      });
      await settle(ports);
      await rebuild(ports);
      await deleteHits();
      expect(await read()).toStrictEqual(added);
    });

    it('leave the numbers of an earlier one with as many hits when they are deleted', async () => {
      await deleteHits();
      await importLog([hitOf(websiteId, DAY, 1n, { page: '/first' })]);
      const { id } = await importLog([hitOf(websiteId, DAY, 2n, { page: '/second' })], [aPlace(10), aPlace(20)]);

      await ports.staging.remove(id, NOW, UNRECORDED);

      expect(await pages()).toContain('/first');
    });

    it.each(['before', 'after'])('count once if they are deleted and read again, imported %s that', async (when) => {
      if (when === 'after') await deleteHits();
      await importLog([hitOf(websiteId, DAY, 1n)]);
      const second = [hitOf(websiteId, DAY, 2n)];
      const { id } = await importLog(second, [aPlace(10), aPlace(20)]);
      await settle(ports);
      if (when === 'before') await deleteHits();

      await ports.staging.remove(id, NOW, UNRECORDED);
      const place = await checkpoint();
      if (place?.offset === 10) await importLog(second, [place, aPlace(20)]);

      expect(await ports.statistics.totals(whole())).toMatchObject({ pageviews: 2 });
    });
  });

  if (!hasRecords) return;
  describe('in the main database', () => {
    it('moves the place of the log, and does not count if that has changed', async () => {
      await importLog([hitOf(websiteId, '2026-10-30', 1n)]);
      expect(await checkpoint()).toStrictEqual(aPlace(10));

      await expect(importLog([hitOf(websiteId, '2026-10-30', 2n)])).rejects.toMatchObject({ name: 'LogConflict' });

      expect(await checkpoint()).toStrictEqual(aPlace(10));
      expect(await ports.statistics.totals(whole())).toMatchObject({ pageviews: 1 });
    });

    it('deleted from the last on, takes the place back each time', async () => {
      const first = await importLog([hitOf(websiteId, '2026-10-30', 1n)]);
      const second = await importLog([hitOf(websiteId, '2026-10-30', 2n)], [aPlace(10), aPlace(20)]);

      await ports.staging.remove(second.id, NOW, UNRECORDED);
      expect(await checkpoint()).toStrictEqual(aPlace(10));
      await ports.staging.remove(first.id, NOW, UNRECORDED);
      expect(await checkpoint()).toBeUndefined();
    });

    it('deleted before a later one, takes the place back with that one', async () => {
      const first = await importLog([hitOf(websiteId, '2026-10-30', 1n)]);
      const second = await importLog([hitOf(websiteId, '2026-10-30', 2n)], [aPlace(10), aPlace(20)]);

      await ports.staging.remove(first.id, NOW, UNRECORDED);
      expect(await checkpoint()).toStrictEqual(aPlace(20));
      await ports.staging.remove(second.id, NOW, UNRECORDED);
      expect(await checkpoint()).toBeUndefined();
    });

    it('counts crawlers once it is done, and no longer when it is deleted', async () => {
      ports.crawlers.add(crawled('2026-10-30', '/', 5));
      await expect.poll(async () => (await crawlers()).days.length).toBe(1);
      const before = await crawlers();
      const failing = anImport(websiteId, { format: 'access-log' });
      await ports.imports.insert(website, failing, UNRECORDED);
      await ports.imports.stageCrawlers(failing.id, [crawled('2026-10-30', '/')]);

      expect(await crawlers()).toStrictEqual(before);
      await ports.imports.fail(failing.id, PROBLEM, NO_IMPORT_COUNTS, undefined);
      const of = [crawled('2026-10-30', '/'), crawled('2026-10-30', '/'), crawled('2026-10-31', '/é')];
      const { id } = await importLog([], undefined, { of });

      expect((await crawlers()).days).toStrictEqual([
        { day: '2026-10-30', hits: 7, hits4xx: 3 },
        { day: '2026-10-31', hits: 1, hits4xx: 1 },
      ]);
      await ports.staging.remove(id, NOW, UNRECORDED);
      expect(await crawlers()).toStrictEqual(before);
    });

    it('keeps the pages that crawlers ask for most', async () => {
      const of = Array.from({ length: MAX_CRAWLER_VALUES + 2 }, (_, n) => crawled('2026-10-30', `/${n}`, n + 1));

      await importLog([], undefined, { of: [] });
      const imported = anImport(websiteId, { format: 'access-log' });
      const { id } = imported;
      await ports.imports.insert(website, imported, UNRECORDED);
      await ports.imports.stageCrawlers(id, of);
      await ports.staging.publish(id, NO_IMPORT_COUNTS, NOW, undefined, { logs: [], also: false });

      const { pages } = await crawlers();
      expect(pages.total).toBe(MAX_CRAWLER_VALUES + 1);
      expect(await ports.crawlers.values(websiteId, '2026-10-30', '2026-10-30', 'page', 2_000)).toMatchObject({
        rows: expect.arrayContaining([{ value: '(other)', hits: 3, hits4xx: 2 }]),
      });
    });
  });
}

/** Engines whose visits can have hits of several imports. The others count a visitor of several imports in each. */
export function sharedVisitorsContract(makePorts: MakePorts): void {
  const DAY = '2026-11-19';

  describe.each(['over', 'not over'])(
    'imports of logs with the visitors of other hits, on a day that is %s',
    (which) => {
      const now = new Date(which === 'over' ? '2026-11-25T12:00:00Z' : `${DAY}T12:00:00Z`);

      it('count the visits of all hits together, also once one of them is deleted', async () => {
        const ports = await makePorts();
        const website = await addWebsite(ports);
        const { websiteId } = website;
        const hitOf = (visitor: bigint, minute: number, page: string): CountedHit =>
          at('12:00', {
            websiteId,
            day: DAY,
            visitor,
            page,
            time: new Date(Date.parse(`${DAY}T10:00:00Z`) + minute * 60_000),
          });
        const numbers = async () => ({
          totals: await ports.statistics.totals(aQuery(websiteId, { from: DAY, to: DAY })),
          pages: await ports.statistics.values(aQuery(websiteId, { from: DAY, to: DAY }), 'entry_page', 10),
        });
        await addHits(ports, [hitOf(1n, 0, '/collected'), hitOf(2n, 0, '/alone')]);
        await settle(ports);
        const collected = await numbers();

        const first = await importWholeLog(ports, website, [hitOf(1n, 10, '/first'), hitOf(3n, 0, '/other')], now);
        const withFirst = await numbers();
        await settle(ports);
        expect(await numbers()).toStrictEqual(withFirst);
        expect(withFirst.totals).toMatchObject({ visitors: 3, visits: 3, pageviews: 4 });

        const second = await importWholeLog(ports, website, [hitOf(3n, 5, '/second'), hitOf(1n, 60, '/late')], now);
        expect((await numbers()).totals).toMatchObject({ visitors: 3, visits: 4, pageviews: 6 });

        await ports.staging.remove(second, now, UNRECORDED);
        expect(await numbers()).toStrictEqual(withFirst);
        await settle(ports);
        expect(await numbers()).toStrictEqual(withFirst);
        await ports.staging.remove(first, now, UNRECORDED);
        expect(await numbers()).toStrictEqual(collected);
        await settle(ports);
        await rebuild(ports);
        expect(await numbers()).toStrictEqual(collected);
      });
    },
  );
}
