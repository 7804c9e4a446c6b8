import { UNRECORDED } from '@hitherto/domain/changes';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { dueReports } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import { addReader, addReported, BEFORE, change, claimAll, DUE, END, MONDAY, WEEK } from './support/reported.ts';
import { HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `ReportOutbox`. */
export function reportOutboxContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;

  beforeEach(async () => {
    repositories = await makeRepositories();
  });

  const record = () => repositories.outbox.record(DUE, MONDAY);

  describe('record', () => {
    it('records one report for each website that gets one, even if called concurrently', async () => {
      const accountId = await addReader(repositories);
      const websites: Website[] = [];
      for (let count = 0; count < 5; count += 1) websites.push(await addReported(repositories, accountId));

      const counts = fulfilled(await atOnce(6, record));

      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5);
      expect(await record()).toBe(0);
      const claimed = await claimAll(repositories);
      expect(claimed.map(({ websiteId }) => websiteId).toSorted()).toEqual(websites.map(({ id }) => id).toSorted());
      expect(claimed).toMatchObject(websites.map(() => ({ kind: 'report', key: WEEK, failures: 0 })));
      expect(await record()).toBe(0);
    });

    it('records websites for the week that is due in their time zone', async () => {
      const accountId = await addReader(repositories);
      const [here, east] = [
        await addReported(repositories, accountId),
        await addReported(repositories, accountId, { timeZone: 'Pacific/Kiritimati' }),
      ];
      for (const emailReports of [true, false]) {
        await addReported(repositories, accountId, { timeZone: 'Pacific/Pago_Pago', emailReports });
      }
      const due = [...DUE, dueReports('2026-W48', { timeZone: 'Pacific/Kiritimati', end: END })];

      expect(await repositories.outbox.record(due, MONDAY)).toBe(2);

      const claimed = await claimAll(repositories);
      expect(new Map(claimed.map(({ websiteId, key }) => [websiteId, key]))).toEqual(
        new Map([
          [here.id, WEEK],
          [east.id, '2026-W48'],
        ]),
      );
      const zones = await repositories.outbox.timeZones();
      expect(zones.toSorted()).toEqual(['Pacific/Kiritimati', 'Pacific/Pago_Pago']);
    });

    it('records only websites that have had reports since before the end in their time zone', async () => {
      const accountId = await addReader(repositories);
      await addReported(repositories, accountId, { timeZone: 'Pacific/Kiritimati', updatedAt: BEFORE });
      const end = new Date('2026-11-22T10:00:00Z');

      expect(
        await repositories.outbox.record([dueReports(WEEK, { timeZone: 'Pacific/Kiritimati', end })], MONDAY),
      ).toBe(0);
    });

    it('records a website again for another week', async () => {
      await addReported(repositories, await addReader(repositories));
      await record();

      expect(await repositories.outbox.record([dueReports('2026-W48')], new Date('2026-11-30T09:00:00Z'))).toBe(1);
    });
  });

  describe('records a month', () => {
    it.each([
      ['weekly', 1, 0],
      ['monthly', 0, 1],
      ['both', 1, 1],
    ] as const)('next to the week, as the website wants: %s', async (report, weeks, months) => {
      const accountId = await addReader(repositories);
      const { id } = await addReported(repositories, accountId, { report });
      await addReported(repositories, accountId, { report, emailReports: false });
      const due = [...DUE, dueReports('2026-11')];

      expect(await repositories.outbox.record(due, MONDAY)).toBe(weeks + months);
      expect(await repositories.outbox.record(due, MONDAY)).toBe(0);

      const keys = (await claimAll(repositories)).map(({ key, websiteId }) => [key, websiteId]);
      expect(keys.toSorted()).toEqual([...(months ? [['2026-11', id]] : []), ...(weeks ? [[WEEK, id]] : [])]);
      expect((await repositories.outbox.findRecipient(id, 'weekly')) !== undefined).toBe(weeks === 1);
      expect((await repositories.outbox.findRecipient(id, 'monthly')) !== undefined).toBe(months === 1);
    });
  });

  describe('websites get a report', () => {
    /** The recipients by `findRecipient` since before the end; `record` must record these websites and no others. */
    const recipients = async (...ids: readonly string[]) => {
      const found = [];
      for (const id of ids) {
        const recipient = await repositories.outbox.findRecipient(id, 'weekly');
        found.push(recipient !== undefined && recipient.since < END ? recipient : undefined);
      }
      expect(await record()).toBe(found.filter((recipient) => recipient !== undefined).length);
      return found;
    };

    it('with reports on, in accounts with an address, both since before the end of the week', async () => {
      const accounts = [await addReader(repositories), await addReader(repositories, null)] as const;
      const late = await addReader(repositories, END);
      const ids: string[] = [];
      for (const id of [...accounts, late]) {
        ids.push((await addReported(repositories, id, { emailReports: false })).id);
        ids.push((await addReported(repositories, id, { updatedAt: END })).id);
      }
      for (const id of [accounts[1], late]) ids.push((await addReported(repositories, id)).id);
      const expected = await addReported(repositories, accounts[0], { updatedAt: BEFORE });

      const account = await repositories.access.findAccount(accounts[0]);
      expect(await recipients(...ids, expected.id)).toStrictEqual([
        ...ids.map(() => undefined),
        {
          accountId: accounts[0],
          website: { id: expected.id, url: expected.url, timeZone: null, language: null, privacy: expected.privacy },
          to: account?.email?.address,
          language: null,
          since: BEFORE,
        },
      ]);
    });

    it.each<[string, Partial<Website>[], number]>([
      ['off, and on again after the week', [{ emailReports: false }, { emailReports: true, updatedAt: END }], 0],
      ['on before the end of the week', [{ emailReports: false }, { emailReports: true, updatedAt: BEFORE }], 1],
      ['another setting changed', [{ excludeBots: false, updatedAt: END }], 1],
      ['others chosen after the week', [{ report: 'both', updatedAt: END }], 0],
    ])('by when reports were last turned on: %s', async (_, changes, count) => {
      const accountId = await addReader(repositories);
      let website = await addReported(repositories, accountId);
      for (const next of changes) website = await change(repositories, accountId, website, next);

      expect((await recipients(website.id)).filter((recipient) => recipient !== undefined)).toHaveLength(count);
    });

    it('at the current url and address', async () => {
      const accountId = await addReader(repositories);
      const website = await addReported(repositories, accountId);
      await record();
      await repositories.access.updateAccount(
        accountId,
        { email: { address: 'new@example.com', since: BEFORE } },
        UNRECORDED,
      );
      await change(repositories, accountId, website, {
        url: 'http://new.example',
        timeZone: 'Asia/Kolkata',
        language: 'de',
      });

      expect(await repositories.outbox.findRecipient(website.id, 'weekly')).toStrictEqual({
        accountId,
        website: {
          id: website.id,
          url: 'http://new.example',
          timeZone: 'Asia/Kolkata',
          language: 'de',
          privacy: website.privacy,
        },
        to: 'new@example.com',
        language: null,
        since: BEFORE,
      });
    });

    it('no more once the website or its address is gone', async () => {
      const [kept, gone] = [await addReader(repositories), await addReader(repositories)];
      const [deleted, without] = [await addReported(repositories, kept), await addReported(repositories, gone)];

      await repositories.websites.delete(kept, deleted.id, undefined, UNRECORDED);
      await repositories.access.updateAccount(gone, { email: null }, UNRECORDED);

      expect(await recipients(deleted.id, without.id, newId(), ...HOSTILE_STRINGS)).toEqual(
        [deleted, without, undefined, ...HOSTILE_STRINGS].map(() => undefined),
      );
    });
  });
}
