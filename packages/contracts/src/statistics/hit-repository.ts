import { UNRECORDED } from '@hitherto/domain/changes';
import type { DroppedHits } from '@hitherto/domain/hits';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import { addHits, addWebsite, all, aQuery, at, type MakePorts, type StatisticsPorts } from './support.ts';

const NOBODY = '01997c3e-0000-7000-8000-00000000dead';

/** The contract of `HitRepository`. */
export function hitRepositoryContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let accountId: string;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    ({ accountId, websiteId } = await addWebsite(ports));
  });

  const pageviews = async (id = websiteId) => (await ports.statistics.totals(aQuery(id))).pageviews;

  describe('add', () => {
    it('counts hits as soon as it resolves', async () => {
      await addHits(ports, [at('12:00', { websiteId }), at('12:01', { websiteId })]);

      expect(await pageviews()).toBe(2);
    });

    it('counts the hits of concurrent calls', async () => {
      await Promise.all([1, 2, 3, 4].map(() => ports.hits.add([at('12:00', { websiteId })])));

      expect(await pageviews()).toBe(4);
    });

    it('accepts no hits at all', async () => {
      await addHits(ports, []);

      expect(await pageviews()).toBe(0);
    });

    it('keeps the hits of different websites separate', async () => {
      const other = await addWebsite(ports);
      await addHits(ports, [
        at('12:00', { websiteId }),
        at('12:00', { websiteId: other.websiteId }),
        at('12:01', { websiteId }),
      ]);

      expect([await pageviews(), await pageviews(other.websiteId)]).toStrictEqual([2, 1]);
    });

    it('leaves out hits for deleted websites, unknown websites and malformed ids', async () => {
      const gone = await addWebsite(ports);
      await ports.websites.delete(gone.accountId, gone.websiteId, undefined, UNRECORDED);

      await addHits(ports, [
        at('12:00', { websiteId: gone.websiteId }),
        at('12:00', { websiteId: NOBODY }),
        at('12:00', { websiteId: "' or 1=1 --" }),
        at('12:00', { websiteId }),
      ]);

      expect([await pageviews(), await pageviews(gone.websiteId), await pageviews(NOBODY)]).toStrictEqual([1, 0, 0]);
    });

    it('stores copies of the hits', async () => {
      const time = new Date('2026-11-20T12:00:00.123Z');
      await addHits(ports, [aCountedHit({ websiteId, time })]);

      time.setUTCFullYear(2020);

      expect(await ports.statistics.series(aQuery(websiteId), 'hour')).toMatchObject([
        { start: new Date('2026-11-20T12:00:00.000Z') },
      ]);
    });

    it('keeps every character in every text', async () => {
      const texts = ['\t', '\n', '\r\n', '\\', '\\N', '\\.', '"', "'", ',', '{}', '🦊', 'é', '%_'].map(
        (text) => `a${text}b${text}`,
      );
      await addHits(
        ports,
        texts.map((text, visitor) => {
          const event = { source: text, page: `/${text}`, name: text, props: { [text]: text } };
          return at('12:00', { websiteId, visitor: BigInt(visitor), ...event });
        }),
      );

      for (const text of texts) {
        const query = aQuery(websiteId, { filters: all({ dimension: 'source', value: text }) });
        expect(await ports.statistics.values(query, 'event', 10)).toMatchObject({ rows: [{ value: text }] });
        expect(await ports.statistics.propertyNames(query, text)).toStrictEqual([text]);
        expect(await ports.statistics.propertyValues(query, text, text, 10)).toMatchObject({ rows: [{ value: text }] });
      }
    });

    it.each(['\0', '\ud83e', '\udd8a'])('replaces %j, which no database keeps, and keeps the batch', async (odd) => {
      await addHits(ports, [
        at('12:00', { websiteId, source: `a${odd}`, name: `é${odd}`, props: { [`k${odd}`]: `v${odd}` } }),
        at('12:00', { websiteId, visitor: 2n }),
      ]);
      const query = aQuery(websiteId, { filters: all({ dimension: 'source', value: `a${odd}` }) });

      expect(await pageviews()).toBe(1);
      expect(await ports.statistics.values(query, 'source', 10)).toMatchObject({ rows: [{ value: 'a\ufffd' }] });
      expect(await ports.statistics.propertyValues(query, `é${odd}`, `k${odd}`, 10)).toMatchObject({
        rows: [{ value: 'v\ufffd' }],
      });
    });

    it('distinguishes visitors by all of their 64 bits', async () => {
      const visitors = [0n, 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];

      await addHits(
        ports,
        visitors.map((visitor) => at('12:00', { websiteId, visitor })),
      );

      expect(await ports.statistics.totals(aQuery(websiteId))).toMatchObject({ visitors: 5, visits: 5 });
    });

    it('stores the longest texts that the collector accepts', async () => {
      const page = `/${'🦊'.repeat(999)}`;
      await addHits(ports, [at('12:00', { websiteId, page, source: 's'.repeat(4_096), referrer: 'r'.repeat(4_096) })]);

      expect(await ports.statistics.values(aQuery(websiteId), 'page', 10)).toMatchObject({ rows: [{ value: page }] });
    });
  });

  describe('add with dropped hits', () => {
    const add = (rows: readonly DroppedHits[]) => ports.hits.add([], rows);
    const dropped = (from = '2026-11-01', to = '2026-11-30') => ports.droppedHits.byReason(websiteId, from, to);

    it('adds up by reason, most hits first, then by reason', async () => {
      await add([
        { websiteId, day: '2026-11-20', reason: 'bot', hits: 2 },
        { websiteId, day: '2026-11-20', reason: 'prefetch', hits: 3 },
        { websiteId, day: '2026-11-20', reason: 'excluded_ip', hits: 3 },
      ]);
      await add([
        { websiteId, day: '2026-11-20', reason: 'bot', hits: 2 },
        { websiteId, day: '2026-11-21', reason: 'bot', hits: 5 },
      ]);

      expect(await dropped()).toStrictEqual([
        { reason: 'bot', hits: 9 },
        { reason: 'excluded_ip', hits: 3 },
        { reason: 'prefetch', hits: 3 },
      ]);
      expect(await dropped('2026-11-21', '2026-11-21')).toStrictEqual([{ reason: 'bot', hits: 5 }]);
    });

    it('adds the same counter several times in one call', async () => {
      const bot = { websiteId, day: '2026-11-20', reason: 'bot' as const, hits: 1 };

      await add([bot, bot]);

      expect(await dropped()).toStrictEqual([{ reason: 'bot', hits: 2 }]);
    });

    it('stores them with the hits', async () => {
      const rows = [{ websiteId, day: '2026-11-20', reason: 'bot' as const, hits: 2 }];

      await ports.hits.add([at('12:00', { websiteId })], rows);

      expect(await dropped()).toStrictEqual([{ reason: 'bot', hits: 2 }]);
      expect(await pageviews()).toBe(1);
    });

    it('adds a hit dropped without hits that count, soon', async () => {
      for (const hits of [1, 2]) ports.hits.addDropped({ websiteId, day: '2026-11-20', reason: 'bot', hits });

      await expect.poll(dropped, { timeout: 5_000 }).toStrictEqual([{ reason: 'bot', hits: 3 }]);
    });

    it('loses nothing when called concurrently', async () => {
      const rows = (['bot', 'prefetch'] as const).map((reason) => ({ websiteId, day: '2026-11-20', reason, hits: 1 }));

      await Promise.all(Array.from({ length: 20 }, (_, i) => add(i % 2 ? rows : rows.toReversed())));

      expect((await dropped()).map(({ hits }) => hits)).toStrictEqual([20, 20]);
    });

    it('leaves out deleted and unknown websites', async () => {
      await add([
        { websiteId: NOBODY, day: '2026-11-20', reason: 'bot', hits: 1 },
        { websiteId: 'x', day: '2026-11-20', reason: 'bot', hits: 1 },
        { websiteId, day: '2026-11-20', reason: 'bot', hits: 1 },
      ]);
      expect(await dropped()).toStrictEqual([{ reason: 'bot', hits: 1 }]);

      await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);

      expect(await dropped()).toStrictEqual([]);
      expect(await ports.droppedHits.byReason(NOBODY, '2026-11-01', '2026-11-30')).toStrictEqual([]);
    });
  });
}
