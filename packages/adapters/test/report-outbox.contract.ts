import type { ClaimedReport, Website } from '@hitherto/domain';
import { aWebsite } from '@hitherto/domain/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../src/system.ts';
import { atOnce, fulfilled, type MakeRepositories, type TestRepositories } from './repositories.ts';

const WEEK = '2026-W47';
const END = new Date('2026-11-23T00:00:00.000Z');
const BEFORE = new Date('2026-11-22T23:59:59.999Z');
const MONDAY = new Date('2026-11-23T09:00:00.000Z');
const after = (minutes: number) => new Date(MONDAY.getTime() + minutes * 60_000);
const LEASE = after(10);

/** The contract of `ReportOutbox`. */
export function reportOutboxContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;

  beforeEach(async () => {
    repositories = await makeRepositories();
  });

  const addAccount = async (since: Date | null = BEFORE): Promise<string> => {
    const id = newId();
    const email = since && { address: `é.${id}@example.com`, since };
    await repositories.access.insertAccount({ id, name: id, createdAt: new Date(0), email });
    return id;
  };

  const addWebsite = async (accountId: string, overrides: Partial<Website> = {}): Promise<Website> => {
    const id = newId();
    const website = aWebsite({ id, url: `https://${id}.example/é`, emailReports: true, ...overrides });
    await repositories.websites.insert(accountId, website);
    return website;
  };

  const change = async (accountId: string, website: Website, changes: Partial<Website>): Promise<Website> => {
    const changed = { ...website, updatedAt: new Date(website.updatedAt.getTime() + 1), ...changes };
    expect(await repositories.websites.replace(accountId, changed, website.updatedAt)).toBe(true);
    return changed;
  };

  const record = (now = MONDAY) => repositories.outbox.record(WEEK, END, now);
  const claim = (now = MONDAY, lease = new Date(now.getTime() + 600_000)) =>
    repositories.outbox.claim(WEEK, END, now, lease);
  const claimAll = async (now = MONDAY): Promise<ClaimedReport[]> => {
    const claimed: ClaimedReport[] = [];
    for (let next = await claim(now); next !== undefined; next = await claim(now)) claimed.push(next);
    return claimed;
  };
  const claimed = async (now = MONDAY): Promise<ClaimedReport> => {
    const report = await claim(now);
    if (report === undefined) throw new Error('Nothing is due.');
    return report;
  };

  describe('record', () => {
    it('records one report for each website that gets one, even if called concurrently', async () => {
      const accountId = await addAccount();
      for (let count = 0; count < 5; count += 1) await addWebsite(accountId);

      const counts = fulfilled(await atOnce(6, () => record()));

      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5);
      expect(await record()).toBe(0);
      expect(await claimAll()).toHaveLength(5);
      expect(await record()).toBe(0);
    });

    it('records websites with reports on, in accounts with an address, both since before the end of the week', async () => {
      const accounts = [await addAccount(), await addAccount(null), await addAccount(END)] as const;
      for (const id of accounts) await addWebsite(id, { emailReports: false });
      for (const id of accounts) await addWebsite(id, { updatedAt: END });
      for (const id of accounts.slice(1)) await addWebsite(id);
      const expected = await addWebsite(accounts[0], { updatedAt: BEFORE });

      expect(await record()).toBe(1);

      const account = await repositories.access.findAccount(accounts[0]);
      expect(await claimAll()).toStrictEqual([
        {
          website: { id: expected.id, url: expected.url },
          week: WEEK,
          to: account?.email?.address,
          failures: 0,
          leasedUntil: LEASE,
        },
      ]);
    });

    it.each([
      ['off, and on again after the week', [{ emailReports: false }, { emailReports: true, updatedAt: END }], 0],
      ['on before the end of the week', [{ emailReports: false }, { emailReports: true, updatedAt: BEFORE }], 1],
      ['another setting changed', [{ excludeBots: false, updatedAt: END }], 1],
    ])('goes by when reports were last turned on: %s', async (_, changes, count) => {
      const accountId = await addAccount();
      let website = await addWebsite(accountId);
      for (const next of changes) website = await change(accountId, website, next);

      expect(await record()).toBe(count);
    });

    it('records a website again for another week', async () => {
      await addWebsite(await addAccount());
      await record();

      expect(
        await repositories.outbox.record('2026-W48', new Date('2026-11-30'), new Date('2026-11-30T09:00:00Z')),
      ).toBe(1);
    });
  });

  describe('claim', () => {
    it('gives each report to one of many concurrent callers', async () => {
      const accountId = await addAccount();
      for (let count = 0; count < 4; count += 1) await addWebsite(accountId);
      await record();

      const reports = fulfilled(await atOnce(12, () => claim())).flatMap((report) => report ?? []);

      expect(new Set(reports.map(({ website }) => website.id)).size).toBe(4);
      expect(reports).toHaveLength(4);
    });

    it('gives a report again only when its lease has ended', async () => {
      await addWebsite(await addAccount());
      await record();
      const first = await claimed();

      expect(await claim(after(9))).toBeUndefined();
      expect(await claim(LEASE)).toStrictEqual({ ...first, leasedUntil: after(20) });
    });

    it('gives only reports of its week', async () => {
      await addWebsite(await addAccount());
      await record();

      expect(await repositories.outbox.claim('2026-W46', END, MONDAY, LEASE)).toBeUndefined();
      expect(await repositories.outbox.claim('2026-W48', END, MONDAY, LEASE)).toBeUndefined();
    });

    it('gives the current url and address', async () => {
      const accountId = await addAccount();
      const website = await addWebsite(accountId);
      await record();
      await repositories.access.setEmail(accountId, { address: 'new@example.com', since: BEFORE });
      await change(accountId, website, { url: 'http://new.example' });

      expect(await claimed()).toMatchObject({ website: { url: 'http://new.example' }, to: 'new@example.com' });
    });

    it('drops reports that became impossible, and gives the others', async () => {
      const [kept, other, gone] = [await addAccount(), await addAccount(), await addAccount()];
      const websites = [await addWebsite(kept), await addWebsite(kept), await addWebsite(kept)] as const;
      const late = await addWebsite(other);
      await addWebsite(gone);
      await record();
      const remaining = await addWebsite(kept);
      await record(after(1));
      await repositories.websites.delete(kept, websites[0].id);
      await change(kept, websites[1], { emailReports: false });
      const off = await change(kept, websites[2], { emailReports: false });
      await change(kept, off, { emailReports: true, updatedAt: END });
      await repositories.access.setEmail(other, { address: 'late@example.com', since: END });
      await repositories.access.setEmail(gone, null);

      expect((await claimAll(after(1))).map(({ website }) => website.id)).toEqual([remaining.id]);

      await repositories.access.setEmail(other, { address: 'late@example.com', since: BEFORE });
      expect(await claim(after(2))).toBeUndefined();
      expect(await record()).toBe(1);
      expect((await claimed(after(2))).website.id).toBe(late.id);
    });

    it('gives nothing once the account is deleted', async () => {
      const accountId = await addAccount();
      await addWebsite(accountId);
      await record();

      await repositories.access.deleteAccount(accountId);

      expect(await claim()).toBeUndefined();
    });
  });

  describe('finish and fail', () => {
    let report: ClaimedReport;

    beforeEach(async () => {
      await addWebsite(await addAccount());
      await record();
      report = await claimed();
    });

    it.each(['sent', 'skipped'] as const)('finish ends a report as %s, for good', async (outcome) => {
      await repositories.outbox.finish(report, outcome);

      expect(await claim(after(60))).toBeUndefined();
      expect(await record()).toBe(0);
      expect(await repositories.outbox.latestFailure(report.website.id)).toBeUndefined();
    });

    it('a report counts as sent even if another sender has claimed it meanwhile, whose failure is ignored', async () => {
      const later = await claimed(LEASE);

      await repositories.outbox.finish(report, 'sent');
      await repositories.outbox.fail(later, 'late', after(11), undefined);

      expect(await claim(after(60))).toBeUndefined();
      expect(await repositories.outbox.latestFailure(report.website.id)).toBeUndefined();
    });

    it('a failure with a retry time can be claimed again at that time', async () => {
      await repositories.outbox.fail(report, 'no', after(1), after(2));

      expect(await repositories.outbox.latestFailure(report.website.id)).toBeUndefined();
      expect(await claim(new Date(after(2).getTime() - 1))).toBeUndefined();
      expect(await claimed(after(2))).toMatchObject({ failures: 1 });
    });

    it('a failure without a retry time is final, and its cause is kept', async () => {
      await repositories.outbox.fail(report, 'no', after(1), after(2));
      await repositories.outbox.fail(await claimed(after(2)), '550 é\0🦊', after(3), undefined);

      expect(await claim(after(60))).toBeUndefined();
      const failure = await repositories.outbox.latestFailure(report.website.id);
      expect(failure).toStrictEqual({ week: WEEK, detail: expect.stringMatching(/^550 é.🦊$/u), at: after(3) });
      for (const id of ['', 'x', '\0', '\ud800', newId()]) {
        expect(await repositories.outbox.latestFailure(id)).toBeUndefined();
      }
    });

    it('a failure after the lease was lost is ignored', async () => {
      await claimed(LEASE);

      await repositories.outbox.fail(report, 'lost', after(11), undefined);

      expect(await repositories.outbox.latestFailure(report.website.id)).toBeUndefined();
      expect(await claimed(after(20))).toMatchObject({ failures: 0 });
    });

    it('a failure is shown until a later report is sent, not until there was nothing to report', async () => {
      const { id } = report.website;
      const finishNext = async (week: string, monday: string, outcome: 'sent' | 'skipped') => {
        const [end, now] = [new Date(`${monday}T00:00:00Z`), new Date(`${monday}T09:00:00Z`)];
        await repositories.outbox.record(week, end, now);
        const next = await repositories.outbox.claim(week, end, now, new Date(`${monday}T09:10:00Z`));
        const failure = await repositories.outbox.latestFailure(id);
        if (next !== undefined) await repositories.outbox.finish(next, outcome);
        return failure;
      };

      await repositories.outbox.fail(report, 'no', after(1), undefined);
      const waiting = await finishNext('2026-W48', '2026-11-30', 'skipped');
      const skipped = await finishNext('2026-W49', '2026-12-07', 'sent');

      const failure = { week: WEEK, detail: 'no', at: after(1) };
      expect([waiting, skipped]).toStrictEqual([failure, failure]);
      expect(await repositories.outbox.latestFailure(id)).toBeUndefined();
    });
  });

  describe('reports of earlier weeks', () => {
    it('are given up if they failed, and left to a sender that holds them', async () => {
      const accountId = await addAccount();
      const websites = [await addWebsite(accountId), await addWebsite(accountId), await addWebsite(accountId)];
      await record();
      const [failed, sent] = [await claimed(), await claimed()];
      await repositories.outbox.fail(failed, 'no', after(1), after(2));
      await repositories.outbox.finish(sent, 'sent');
      const held = await claimed();

      expect(await repositories.outbox.expire(WEEK, after(5))).toEqual([]);
      const expired = await repositories.outbox.expire('2026-W48', after(5));
      await repositories.outbox.fail(held, 'held', after(6), after(7));

      expect(expired).toStrictEqual([{ websiteId: failed.website.id, week: WEEK, detail: 'no' }]);
      expect(await repositories.outbox.latestFailure(failed.website.id)).toMatchObject({ detail: 'no' });
      expect(await repositories.outbox.expire('2026-W48', after(7))).toStrictEqual([
        { websiteId: held.website.id, week: WEEK, detail: 'held' },
      ]);
      expect(websites).toHaveLength(3);
    });

    it('are dropped if nobody tried them', async () => {
      await addWebsite(await addAccount());
      await record();

      expect(await repositories.outbox.expire('2026-W48', after(5))).toEqual([]);

      expect(await claim(after(5))).toBeUndefined();
      expect(await record()).toBe(1);
    });

    it('are deleted', async () => {
      await addWebsite(await addAccount());
      await record();
      await repositories.outbox.finish(await claimed(), 'sent');

      expect(await repositories.outbox.deleteBefore(WEEK)).toBe(0);
      expect(await repositories.outbox.deleteBefore('2026-W48')).toBe(1);
      expect(await repositories.outbox.deleteBefore('2026-W48')).toBe(0);
    });
  });
}
