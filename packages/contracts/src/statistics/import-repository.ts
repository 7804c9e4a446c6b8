import { UNRECORDED } from '@hitherto/domain/changes';
import { IMPORT_LEASE_MS, type Import, NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { anImport, beginImport, importHits, NOW, PROBLEM, someHits, UNSTORABLE } from './imports-support.ts';
import { addWebsite, addWebsiteTo, type MakePorts, type StatisticsPorts } from './support.ts';

/** The contract of `ImportRepository`. */
export function importRepositoryContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let website: WebsiteKey;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    website = await addWebsite(ports);
    websiteId = website.websiteId;
  });

  describe('the record', () => {
    const waiting = (imported: Import): Import => ({ ...imported, waits: true });

    it('is found, and listed in the order of insertion', async () => {
      const [one, other] = [
        anImport(websiteId),
        anImport(websiteId, { createdAt: new Date('2026-01-01T00:00:00.001Z') }),
      ];
      for (const imported of [one, other]) await ports.imports.insert(website, imported, UNRECORDED);

      expect(await ports.imports.list(website)).toStrictEqual([one, other].map(waiting));
      expect(await ports.imports.find(website, other.id)).toStrictEqual(waiting(other));
    });

    it('of a file is one, unless it has failed', async () => {
      const first = anImport(websiteId);
      await ports.imports.insert(website, first, UNRECORDED);
      const again = anImport(websiteId, { sha256: first.sha256 });

      expect(await ports.imports.insert(website, again, UNRECORDED)).toStrictEqual(waiting(first));
      await ports.imports.fail(first.id, PROBLEM, NO_IMPORT_COUNTS, undefined);
      expect(await ports.imports.insert(website, again, UNRECORDED)).toBeUndefined();
    });

    it('is listed with those of other websites once it is done', async () => {
      const other = await addWebsite(ports);
      const first = await importHits(ports, website, someHits(websiteId));
      const failed = await beginImport(ports, website);
      await ports.imports.fail(failed.id, PROBLEM, NO_IMPORT_COUNTS, undefined);
      const second = anImport(websiteId, { websiteId: other.websiteId });
      await ports.imports.insert(other, second, UNRECORDED);
      await ports.imports.begin(second.id, NOW);
      const ids = async (limit: number) => (await ports.imports.listDone(limit)).map(({ imported }) => imported.id);

      expect(await ids(9)).toEqual([first.id]);
      await ports.staging.publish(second.id, NO_IMPORT_COUNTS, NOW, undefined, undefined);
      expect(await ids(9)).toEqual([first.id, second.id]);
      expect(await ids(1)).toEqual([first.id]);
      const { url } = (await ports.websites.find(wholeAccount(website.accountId), websiteId)) ?? {};
      expect(await ports.imports.listDone(1)).toStrictEqual([
        { url, imported: await ports.imports.find(website, first.id) },
      ]);
    });

    it("of another account's website is absent", async () => {
      const imported = anImport(websiteId);
      await ports.imports.insert(website, imported, UNRECORDED);
      const stranger = { ...website, accountId: newId() };

      expect(await ports.imports.find(stranger, imported.id)).toBeUndefined();
      expect(await ports.imports.list(stranger)).toBeUndefined();
      await expect(ports.imports.insert(stranger, anImport(websiteId), UNRECORDED)).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    it('accepts any string of a file', async () => {
      const counts = { ...NO_IMPORT_COUNTS, skipped: [{ reason: 'faulty', rows: 1, example: UNSTORABLE } as const] };
      const done = await beginImport(ports, website, counts);
      await ports.staging.stage(done.id, someHits(websiteId));
      expect(await ports.imports.report(done.id, counts, NOW)).toBe(true);
      expect(await ports.staging.publish(done.id, counts, NOW, undefined, undefined)).toBe(true);
      const failed = await beginImport(ports, website, counts);
      expect(await ports.imports.fail(failed.id, { ...PROBLEM, detail: UNSTORABLE }, counts, undefined)).toBe(true);

      const example = expect.stringMatching(/^line 3: é.* 🦊 "\\u0000"$/su);
      expect(await ports.imports.list(website)).toMatchObject([
        { status: 'done', skipped: [{ example }] },
        { status: 'failed', skipped: [{ example }], problem: { detail: example } },
      ]);
      expect(await ports.imports.importedDays(websiteId)).toHaveLength(2);
      expect(await ports.staging.remove(done.id, NOW, UNRECORDED)).toBe(true);
      expect(await ports.imports.list(website)).toMatchObject([{ status: 'failed' }]);
    });

    it('accepts any string as an id', async () => {
      for (const id of ['', 'nobody', '\0', newId()]) {
        expect(await ports.imports.find(website, id)).toBeUndefined();
        expect(await ports.imports.list({ ...website, websiteId: id })).toBeUndefined();
        expect(await ports.imports.begin(id, NOW)).toBe('gone');
        expect(await ports.imports.report(id, NO_IMPORT_COUNTS, NOW)).toBe(false);
        expect(await ports.imports.importedDays(id)).toStrictEqual([]);
      }
    });

    it('lets two imports read at the same time, one of each account, in turns', async () => {
      const others = [await addWebsite(ports), await addWebsite(ports)];
      const keys = [website, website, ...others];
      const added = keys.map((key) => anImport(websiteId, { websiteId: key.websiteId }));
      for (const [index, imported] of added.entries())
        await ports.imports.insert(keys[index] ?? website, imported, UNRECORDED);
      const begun = (index: number) => ports.imports.begin(added[index]?.id ?? '', NOW);

      expect(await begun(0)).toBe('begun');
      expect(await begun(1)).toBe('waits');
      expect(await begun(2)).toBe('begun');
      expect(await begun(3)).toBe('waits');
      expect((await ports.imports.list(website))?.map(({ waits }) => waits)).toEqual([undefined, true]);
      await ports.imports.fail(added[0]?.id ?? '', PROBLEM, NO_IMPORT_COUNTS, undefined);
      // Another account has waited, and nothing of it has begun.
      expect(await begun(1)).toBe('waits');
      expect(await begun(3)).toBe('begun');
      expect(await begun(1)).toBe('waits');
      await ports.imports.fail(added[2]?.id ?? '', PROBLEM, NO_IMPORT_COUNTS, undefined);
      expect(await begun(1)).toBe('begun');
      expect((await ports.imports.list(website))?.map(({ waits }) => waits)).toEqual([undefined, undefined]);
    });

    it('lets one import of an account read at a time, whatever their websites', async () => {
      const [first, second] = [anImport(websiteId), anImport(websiteId)];
      const neighbour = await addWebsiteTo(ports, website.accountId);
      await ports.imports.insert(website, first, UNRECORDED);
      await ports.imports.insert(neighbour, { ...second, websiteId: neighbour.websiteId }, UNRECORDED);

      expect(await ports.imports.begin(first.id, NOW)).toBe('begun');
      expect(await ports.imports.begin(second.id, NOW)).toBe('waits');
      await ports.imports.fail(first.id, PROBLEM, NO_IMPORT_COUNTS, undefined);
      expect(await ports.imports.begin(second.id, NOW)).toBe('begun');
    });

    it('that is read together with another one does not wait, but others wait for it', async () => {
      const [other, third] = [await addWebsite(ports), await addWebsite(ports)];
      const [shared, later] = [anImport(other.websiteId), anImport(third.websiteId)];
      await beginImport(ports, website);
      await beginImport(ports, await addWebsite(ports));
      await ports.imports.insert(other, shared, UNRECORDED);
      await ports.imports.insert(third, later, UNRECORDED);

      expect(await ports.imports.begin(shared.id, NOW)).toBe('waits');
      expect(await ports.imports.begin(shared.id, NOW, 'shared')).toBe('begun');
      expect((await ports.imports.find(other, shared.id))?.waits).toBeUndefined();
      expect(await ports.imports.begin(later.id, NOW)).toBe('waits');
      expect(await ports.imports.begin(newId(), NOW, 'shared')).toBe('gone');
    });

    it('is abandoned once its process has not reported for a while', async () => {
      const { id } = await beginImport(ports, website);
      const later = (ms: number) => new Date(NOW.getTime() + ms);
      await ports.imports.report(id, { ...NO_IMPORT_COUNTS, rows: 7 }, later(1_000));

      expect(await ports.imports.findAbandoned(later(IMPORT_LEASE_MS))).toBeUndefined();
      expect(await ports.imports.findAbandoned(later(IMPORT_LEASE_MS + 1_000))).toMatchObject({
        imported: { id, rows: 7 },
        accountId: website.accountId,
      });
    });
  });
}
