import { unavailable } from '@hitherto/domain/base';
import { latestReportFailure, MailFailed, type ReportMail, sendDueReports } from '@hitherto/domain/reports';
import { LEASE_MS, type TaskQueue } from '@hitherto/domain/tasks';
import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS, type Ports, refuse, type Sending, startSending, TO } from './support/report-sending.ts';

/** The contract of `sendDueReports` where mails are rejected or the database is away. */
export function failedReportsContract(makeRepositories: () => Promise<Ports>): void {
  let sending: Sending;
  beforeEach(async () => {
    sending = await startSending(makeRepositories);
  });

  describe('after a failure', () => {
    it('sends the same mail again after a minute, not earlier', async () => {
      await sending.addWebsite('2026-11-20');
      const tried: ReportMail[] = [];
      sending.responses = [
        async (mail) => {
          tried.push(mail);
          throw new MailFailed(`451 try ${TO} later`);
        },
      ];

      await sendDueReports(sending.deps());
      sending.pass(MINUTE_MS - 1);
      await sendDueReports(sending.deps());
      const early = sending.sent.length;
      sending.pass(1);
      await sendDueReports(sending.deps());

      expect(early).toBe(0);
      expect(sending.sent.map(({ messageId }) => messageId)).toEqual(tried.map(({ messageId }) => messageId));
      expect(sending.events).toMatchObject([
        { outcome: 'retried', detail: '451 try … later', retryAt: new Date('2026-11-23T09:01:00.000Z') },
        { outcome: 'sent' },
      ]);
    });

    it('tries seven times, then reports the failure', async () => {
      const id = await sending.addWebsite('2026-11-20');
      sending.responses = Array.from({ length: 10 }, (_, index) => refuse(`550 ${index}`));

      for (const minutes of [0, 1, 5, 30, 120, 360, 720, 1440, 1440]) {
        sending.pass(minutes * MINUTE_MS);
        await sendDueReports(sending.deps());
      }

      expect(sending.outcomes()).toEqual(['retried', 'retried', 'retried', 'retried', 'retried', 'retried', 'failed']);
      expect(await latestReportFailure(sending.ports.tasks, id)).toMatchObject({ period: '2026-W47', detail: '550 6' });
    });

    it('gives up after Sunday, and sends the report of the next week', async () => {
      const id = await sending.addWebsite('2026-11-20');
      sending.now = new Date('2026-11-29T23:58:00.000Z');
      sending.responses = [refuse('450 not now')];

      await sendDueReports(sending.deps());
      sending.now = new Date('2026-11-30T00:00:00.000Z');
      await sendDueReports(sending.deps());
      const failure = await latestReportFailure(sending.ports.tasks, id);
      sending.now = new Date('2026-11-30T09:00:00.000Z');
      await sendDueReports(sending.deps());

      expect(failure).toMatchObject({ period: '2026-W47', detail: '450 not now' });
      expect(sending.events).toMatchObject([
        { outcome: 'retried' },
        { outcome: 'failed', period: '2026-W47', detail: '450 not now', websiteId: id },
        { outcome: 'sent', period: '2026-W48' },
      ]);
      expect(await latestReportFailure(sending.ports.tasks, id)).toBeUndefined();
    });

    it('shows the failure until a later report is sent, not until there was nothing to report', async () => {
      const id = await sending.addWebsite('2026-11-20', '2026-12-11');
      const failure = { period: '2026-W47', detail: '550 no', at: sending.now };
      sending.responses = Array.from({ length: 7 }, () => refuse('550 no'));
      const shown = [];

      for (const minutes of [0, 1, 5, 30, 120, 360, 720, 7 * 1440, 7 * 1440, 7 * 1440]) {
        sending.pass(minutes * MINUTE_MS);
        await sendDueReports(sending.deps());
        shown.push(await latestReportFailure(sending.ports.tasks, id));
      }

      expect(sending.outcomes().slice(6)).toEqual(['failed', 'sent', 'skipped', 'sent']);
      expect(shown.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => undefined));
      expect(shown[6]).toStrictEqual({ ...failure, at: shown[6]?.at });
      expect(shown.slice(7)).toEqual([undefined, undefined, undefined]);
    });

    it('sends the other reports if the failure was internal, and tries again', async () => {
      await Promise.all(Array.from({ length: 6 }, () => sending.addWebsite('2026-11-20')));
      sending.responses = [() => Promise.reject(new TypeError('a fault'))];

      await sendDueReports(sending.deps());

      expect(sending.sent).toHaveLength(5);
      expect(sending.events).toContainEqual(
        expect.objectContaining({
          outcome: 'retried',
          detail: expect.stringContaining('internal error'),
          error: expect.any(TypeError),
        }),
      );
    });
  });

  describe('while the database is away', () => {
    const away = () => Promise.reject(unavailable('away'));
    /** The report of this website, like one whose statistics take too long, cannot be made. */
    const slowFor = (id: string): Ports['statistics'] => ({
      ...sending.ports.statistics,
      reading: (of, work) => (of.websiteId === id ? away() : sending.ports.statistics.reading(of, work)),
    });

    it('records a sent mail as soon as it is back, and sends it once', async () => {
      await sending.addWebsite('2026-11-20');
      let outages = 20;
      const finish: TaskQueue['finish'] = (task, outcome) => {
        outages -= 1;
        return outages < 0 ? sending.ports.tasks.finish(task, outcome) : away();
      };

      await sendDueReports(sending.deps({ tasks: { ...sending.ports.tasks, finish } }));
      sending.pass(LEASE_MS);
      await sendDueReports(sending.deps());

      expect(sending.sent).toHaveLength(1);
      expect(sending.outcomes()).toEqual(['sent']);
    });

    it('tries to record a sent mail until its lease ends', async () => {
      await sending.addWebsite('2026-11-20');
      const start = sending.now.getTime();

      await expect(
        sendDueReports(sending.deps({ tasks: { ...sending.ports.tasks, finish: away } })),
      ).rejects.toMatchObject({
        code: 'unavailable',
      });

      const waited = sending.now.getTime() - start;
      expect(waited).toBeGreaterThan(LEASE_MS - 1_000);
      expect(waited).toBeLessThan(LEASE_MS);
    });

    it('counts a report that cannot be made as a failed try, and sends the others', async () => {
      const slow = await sending.addWebsite('2026-11-20');
      const others = await Promise.all([sending.addWebsite('2026-11-20'), sending.addWebsite('2026-11-20')]);

      await sendDueReports(sending.deps({ statistics: slowFor(slow) }));
      const first = sending.events.filter(({ websiteId }) => websiteId === slow);
      sending.pass(MINUTE_MS);
      await sendDueReports(sending.deps());

      expect(first).toMatchObject([
        {
          outcome: 'retried',
          websiteId: slow,
          period: '2026-W47',
          detail: 'The report could not be made: the database was unreachable or took too long.',
          retryAt: new Date('2026-11-23T09:01:00.000Z'),
        },
      ]);
      const received = sending.sent.map(({ report }) => report.websiteId);
      expect(received.slice(0, 2).toSorted()).toEqual(others.toSorted());
      expect(received.slice(2)).toEqual([slow]);
    });

    it('gives up a report that can never be made, and keeps the failure', async () => {
      const slow = await sending.addWebsite('2026-11-20');

      for (const minutes of [0, 1, 5, 30, 120, 360, 720]) {
        sending.pass(minutes * MINUTE_MS);
        await sendDueReports(sending.deps({ statistics: slowFor(slow) }));
      }

      expect(sending.outcomes()).toEqual(['retried', 'retried', 'retried', 'retried', 'retried', 'retried', 'failed']);
      expect(await latestReportFailure(sending.ports.tasks, slow)).toMatchObject({
        detail: expect.stringContaining('database'),
      });
    });

    it('ends if not even a failure can be recorded, and tries again when the lease has ended', async () => {
      const id = await sending.addWebsite('2026-11-20');
      const gone = sending.deps({ statistics: slowFor(id), tasks: { ...sending.ports.tasks, fail: away } });

      await expect(sendDueReports(gone)).rejects.toMatchObject({ code: 'unavailable' });
      sending.pass(LEASE_MS);
      await sendDueReports(sending.deps());

      expect(sending.outcomes()).toEqual(['sent']);
    });
  });
}
