import { UNRECORDED } from '@hitherto/domain/changes';
import type { CountedGoal, StatisticsQuery } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import { type Import, type ImportEvent, NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { aWebhook, deliveredEvents } from '../support/webhooks.ts';
import {
  hitOf as aHitOf,
  anImport,
  beginImport,
  importHits as importSomeHits,
  NOW,
  PROBLEM,
  readHits,
  someHits,
  UNSTORABLE,
} from './imports-support.ts';
import {
  addHits,
  addWebsite,
  all,
  aQuery,
  at,
  BEFORE,
  type MakePorts,
  rebuild,
  type StatisticsPorts,
  settle,
  untilDone,
} from './support.ts';

/** The contract of `ImportStaging`, and of how imports end. */
export function importsContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let website: WebsiteKey;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    website = await addWebsite(ports);
    websiteId = website.websiteId;
  });

  const hitOf = (day: string, visitor: bigint, overrides: Partial<CountedHit> = {}) =>
    aHitOf(websiteId, day, visitor, overrides);
  const importHits = (hits: readonly CountedHit[] = someHits(websiteId)) => importSomeHits(ports, website, hits);

  /** The event that an import has ended. */
  const endOf = ({ id, problem }: Import): ImportEvent => {
    const { sha256: _, websiteId: __, createdAt, ...ended } = anImport(websiteId, { id, problem });
    const imported = { ...ended, createdAt: createdAt.toISOString() };
    const data = { website: { id: websiteId, url: 'https://é.example' }, import: imported };
    return { type: 'import.finished', at: NOW, data, ...website };
  };

  /** Adds a webhook, and returns what it is told. */
  const listen = async () => {
    const webhook = aWebhook({ id: newId(), events: ['import.finished'] });
    await ports.webhooks.insert({ accountId: website.accountId }, webhook, UNRECORDED);
    return async () => (await deliveredEvents(ports.webhookOutbox, website.accountId, NOW)).map(({ data }) => data);
  };

  const whole = (overrides: Partial<StatisticsQuery> = {}) =>
    aQuery(websiteId, { from: '2026-01-01', to: '2027-12-31', ...overrides });

  /** The numbers that the website's pages show. */
  const numbers = async (id = websiteId) => {
    const query = whole({ websiteId: id });
    const filtered = { ...query, filters: all({ dimension: 'device', value: at('12:00').device }) };
    const signup: CountedGoal = { id: 'goal', rule: { event: 'Signup', props: {} }, sum: null };
    return {
      totals: await ports.statistics.totals(query),
      hours: await ports.statistics.series(query, 'hour'),
      overview: await ports.statistics.overview(query, ['page', 'country', 'event', 'exit_page'], 5),
      filtered: await ports.statistics.totals(filtered),
      goals: await ports.statistics.goals(query, [signup]),
      firstDay: await ports.statistics.firstDay(id),
      visitors: await ports.statistics.visitorsBetween(id, new Date('2026-10-01'), new Date('2026-12-01')),
    };
  };

  const deleteBefore = (day: string) => untilDone(() => ports.maintenance.deleteHitsBefore(day));

  describe('a running import', () => {
    it('changes no number, whatever jobs run', async () => {
      await addHits(ports, [hitOf('2026-11-20', 1n)]);
      const before = await numbers();

      const { id } = await beginImport(ports, website);
      await ports.staging.stage(id, someHits(websiteId));

      expect(await numbers()).toStrictEqual(before);
      await settle(ports);
      await rebuild(ports);
      expect(await numbers()).toStrictEqual(before);
      expect(await ports.imports.importedDays(websiteId)).toStrictEqual([]);
    });

    it('counts as a whole once it is done, although hits of its days are deleted meanwhile', async () => {
      await addHits(ports, [hitOf('2026-10-30', 1n)]);
      const { id } = await beginImport(ports, website);
      await ports.staging.stage(id, someHits(websiteId).slice(0, 2));
      await deleteBefore('2026-12-01');
      await ports.staging.stage(id, someHits(websiteId).slice(2));
      await deleteBefore('2026-12-01');

      expect(await ports.staging.publish(id, NO_IMPORT_COUNTS, NOW, undefined, undefined)).toBe(true);

      const read = async () => ({
        totals: await ports.statistics.totals(whole()),
        hours: await ports.statistics.series(whole(), 'hour'),
        pages: await ports.statistics.values(whole(), 'page', 10),
      });
      const before = await read();
      expect(before.totals).toMatchObject({ visitors: 4, visits: 4, pageviews: 4, events: 1 });
      await deleteBefore('2026-12-01');
      expect(await read()).toStrictEqual(before);
      expect(await ports.imports.find(website, id)).toMatchObject({ status: 'done' });
    });

    it('that fails leaves nothing behind', async () => {
      const before = await numbers();
      const { id } = await beginImport(ports, website);
      await ports.staging.stage(id, someHits(websiteId));

      expect(await ports.imports.fail(id, PROBLEM, { ...NO_IMPORT_COUNTS, rows: 4 }, undefined)).toBe(true);
      await ports.staging.discard(id);

      expect(await ports.staging.publish(id, NO_IMPORT_COUNTS, NOW, undefined, undefined)).toBe(false);
      expect(await numbers()).toStrictEqual(before);
      expect(await ports.imports.find(website, id)).toMatchObject({ status: 'failed', problem: PROBLEM, rows: 4 });
      expect(await ports.imports.fail(id, PROBLEM, NO_IMPORT_COUNTS, undefined)).toBe(false);
    });
  });

  describe('an import that is done', () => {
    it('counts as hits do that were collected', async () => {
      const other = await addWebsite(ports);
      await addHits(
        ports,
        someHits(websiteId).map((hit) => ({ ...hit, websiteId: other.websiteId })),
      );
      await settle(ports);

      await importHits();

      const expected = await numbers(other.websiteId);
      expect(expected.totals).toMatchObject({ visitors: 3, visits: 3, pageviews: 3, events: 1 });
      expect(await numbers()).toStrictEqual(expected);
      await settle(ports);
      expect(await numbers()).toStrictEqual(expected);
      await rebuild(ports);
      expect(await numbers()).toStrictEqual(expected);
    });

    it('covers its days', async () => {
      const { id } = await importHits();

      expect(await ports.imports.importedDays(websiteId)).toStrictEqual([
        { day: '2026-10-30', importId: id, format: 'hitherto' },
        { day: '2026-11-20', importId: id, format: 'hitherto' },
      ]);
      const november = { from: '2026-11-01', to: '2026-11-30' };
      expect(await ports.imports.importedDays(websiteId, november)).toMatchObject([{ day: '2026-11-20' }]);
      expect(await ports.imports.find(website, id)).toMatchObject({ status: 'done', hits: 4, rows: 4, share: 1 });
    });

    it('adds to a day that has collected hits, before and after', async () => {
      await addHits(ports, [hitOf('2026-11-20', 1n)]);
      await settle(ports);

      await importHits();
      await addHits(ports, [hitOf('2026-11-20', 2n)]);

      expect(await ports.statistics.totals(whole())).toMatchObject({ visitors: 5, visits: 5, pageviews: 5 });
      await settle(ports);
      expect(await ports.statistics.totals(whole())).toMatchObject({ visitors: 5, visits: 5, pageviews: 5 });
    });

    it('counts hits of a day that the file comes back to after many others', async () => {
      const { id } = await beginImport(ports, website);
      const many = Array.from({ length: 20_000 }, (_, hit) => hitOf('2026-10-30', BigInt(hit % 1_000)));
      await ports.staging.stage(id, many);
      await ports.staging.stage(id, [hitOf('2026-11-20', 1n)]);
      const late = { time: new Date('2026-10-30T12:10:00.000Z'), page: '/é 🦊' };
      await ports.staging.stage(id, [hitOf('2026-10-30', 1n, late)]);

      expect(await ports.staging.publish(id, NO_IMPORT_COUNTS, NOW, undefined, undefined)).toBe(true);

      const { totals, overview } = await numbers();
      expect(totals).toMatchObject({ visitors: 1_001, visits: 1_001, pageviews: 20_002, bounces: 1 });
      expect(overview.values.get('page')?.rows).toMatchObject([{ visitors: 1_001 }, { value: '/é 🦊', visitors: 1 }]);
      expect(overview.values.get('exit_page')?.rows).toMatchObject([
        { visitors: 1_000 },
        { value: '/é 🦊', visitors: 1 },
      ]);
    });

    it('counts in summaries alone on days whose hits are no longer kept', async () => {
      const other = await addWebsite(ports);
      await addHits(
        ports,
        someHits(websiteId).map((hit) => ({ ...hit, websiteId: other.websiteId })),
      );
      await deleteBefore('2026-11-01');

      await importHits();

      const expected = { ...(await numbers(other.websiteId)), visitors: expect.any(Number) };
      expect(expected.totals).toMatchObject({ visitors: 3, events: 1 });
      expect(expected.filtered).toMatchObject({ visitors: 1 });
      expect(await numbers()).toStrictEqual(expected);
      await deleteBefore('2026-11-01');
      expect(await numbers()).toStrictEqual(expected);
    });

    it('loses its hits, not its numbers, to retention', async () => {
      await importHits();
      const before = await ports.statistics.totals(whole());

      await deleteBefore('2026-12-01');

      expect(await ports.statistics.totals(whole())).toStrictEqual(before);
    });

    it('rejects another one that covers one of its days', async () => {
      const { id } = await importHits();
      const before = await numbers();
      const other = await beginImport(ports, website);
      await ports.staging.stage(other.id, [hitOf('2026-11-20', 99n), hitOf('2026-11-21', 99n)]);

      const publishing = ports.staging.publish(other.id, NO_IMPORT_COUNTS, NOW, undefined, undefined);

      await expect(publishing).rejects.toMatchObject({ code: 'import_overlap', existingId: id });
      expect(await numbers()).toStrictEqual(before);
    });
  });

  describe('remove', () => {
    const whens: readonly [string, () => Promise<unknown>][] = [
      ['at once', async () => {}],
      ['after its days were settled', () => settle(ports)],
      ['after days that are not over were settled', () => settle(ports, BEFORE)],
      ['after a rebuild', () => rebuild(ports)],
    ];

    it.each(whens)('puts every number back, %s', async (_, then) => {
      await addHits(ports, [hitOf('2026-11-19', 1n), hitOf('2026-11-20', 1n), hitOf('2026-11-20', 2n)]);
      await settle(ports);
      const before = await numbers();
      const { id } = await importHits();
      await then();
      expect(await numbers()).not.toStrictEqual(before);

      expect(await ports.staging.remove(id, NOW, UNRECORDED)).toBe(true);

      expect(await numbers()).toStrictEqual(before);
      await settle(ports);
      expect(await numbers()).toStrictEqual(before);
      expect(await ports.imports.list(website)).toStrictEqual([]);
      expect(await ports.staging.remove(id, NOW, UNRECORDED)).toBe(false);
    });

    it('puts numbers back whose hits are no longer kept', async () => {
      const before = await numbers();
      const { id } = await importHits();
      await deleteBefore('2026-12-01');

      await ports.staging.remove(id, NOW, UNRECORDED);

      expect(await numbers()).toStrictEqual(before);
    });

    it('lets other hits of the same days count afterwards, also as many', async () => {
      const { id } = await importHits();
      await settle(ports);
      await ports.staging.remove(id, NOW, UNRECORDED);

      await importHits(someHits(websiteId).map((hit) => ({ ...hit, page: '/other' })));

      const { rows } = await ports.statistics.values(whole(), 'page', 10);
      expect(rows.map(({ value }) => value)).toStrictEqual(['/other']);
    });

    it('leaves nothing of its days, also once hits of their time are no longer kept', async () => {
      const before = await numbers();
      const { id } = await importHits();
      await settle(ports);
      await ports.staging.remove(id, NOW, UNRECORDED);

      await deleteBefore('2026-12-01');

      expect(await numbers()).toStrictEqual(before);
    });

    it('ends one that runs', async () => {
      const { id } = await beginImport(ports, website);
      await ports.staging.stage(id, someHits(websiteId));

      expect(await ports.staging.remove(id, NOW, UNRECORDED)).toBe(true);

      expect(await ports.staging.publish(id, NO_IMPORT_COUNTS, NOW, undefined, undefined)).toBe(false);
      expect(await ports.imports.report(id, NO_IMPORT_COUNTS, NOW)).toBe(false);
    });

    it('accepts ids of imports that are unknown', async () => {
      for (const id of ['', 'nobody', '\0', newId()])
        expect(await ports.staging.remove(id, NOW, UNRECORDED)).toBe(false);
    });
  });

  it('reads all hits that are kept, by day', async () => {
    const hits = [...someHits(websiteId), hitOf('2026-11-19', 5n), hitOf('2026-09-01', 6n)];
    await addHits(ports, hits.slice(3));
    await importHits(hits.slice(0, 3));
    await deleteBefore('2026-10-01');

    const found = await readHits(ports, websiteId);

    expect(found.map(({ day }) => day)).toStrictEqual([
      '2026-10-30',
      '2026-10-30',
      '2026-10-30',
      '2026-11-19',
      '2026-11-20',
    ]);
    const imported = found.map((hit) => ({ ...hit, visitor: undefined }));
    expect(imported).toContainEqual({ ...hits[1], visitor: undefined });
    expect(imported).toContainEqual({ ...hits[2], visitor: undefined });
    expect(found).toContainEqual(hits[3]);
    expect(new Set(found.map(({ visitor }) => visitor)).size).toBe(4);
  });

  describe('the event of its end', () => {
    it('is recorded with an import that is done, or not at all', async () => {
      const told = await listen();
      const { id } = await beginImport(ports, website);
      await ports.staging.stage(id, someHits(websiteId));
      const imported = { ...anImport(websiteId), id };

      expect(await ports.staging.publish(id, NO_IMPORT_COUNTS, NOW, endOf(imported), undefined)).toBe(true);
      expect(await ports.staging.publish(id, NO_IMPORT_COUNTS, NOW, endOf(imported), undefined)).toBe(false);

      expect(await told()).toStrictEqual([endOf(imported).data]);
    });

    it('is not recorded with an import of days that another one covers', async () => {
      await importHits();
      const told = await listen();
      const imported = await beginImport(ports, website);
      await ports.staging.stage(imported.id, someHits(websiteId));

      const publishing = ports.staging.publish(imported.id, NO_IMPORT_COUNTS, NOW, endOf(imported), undefined);

      await expect(publishing).rejects.toMatchObject({ name: 'ImportOverlap' });
      expect(await told()).toStrictEqual([]);
    });

    it('is recorded with an import that fails, or not at all', async () => {
      const told = await listen();
      const imported = await beginImport(ports, website);

      expect(await ports.imports.fail(imported.id, PROBLEM, NO_IMPORT_COUNTS, endOf(imported))).toBe(true);
      expect(await ports.imports.fail(imported.id, PROBLEM, NO_IMPORT_COUNTS, endOf(imported))).toBe(false);

      expect(await told()).toStrictEqual([endOf(imported).data]);
    });

    it('is recorded with any string of a file', async () => {
      const told = await listen();
      const problem = { ...PROBLEM, detail: UNSTORABLE };
      const imported = await beginImport(ports, website);
      const event = endOf({ ...imported, problem });

      expect(await ports.imports.fail(imported.id, problem, NO_IMPORT_COUNTS, event)).toBe(true);

      const detail = expect.stringMatching(/^line 3: é.* 🦊 "\\u0000"$/su);
      expect(await told()).toMatchObject([{ import: { id: imported.id, problem: { detail } } }]);
    });
  });
}
