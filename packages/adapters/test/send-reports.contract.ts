import {
  type Day,
  LEASE_MS,
  type Mailer,
  MailFailed,
  type ReportEvent,
  type ReportMail,
  type ReportOutbox,
  type Repositories,
  type SendReportsDependencies,
  sendDueReports,
  showStatistics,
  timeZone,
  unavailable,
} from '@hitherto/domain';
import { aCountedHit, aWebsite } from '@hitherto/domain/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../src/system.ts';

const MINUTE_MS = 60_000;
const TO = 'é.owner@example.com';

type Ports = Pick<Repositories, 'access' | 'websites' | 'hits' | 'statistics' | 'outbox'>;

/** The contract of `sendDueReports`, over the outbox of an adapter. */
export function sendReportsContract(makeRepositories: () => Promise<Ports>): void {
  let ports: Ports;
  let accountId: string;
  let now: Date;
  let sent: ReportMail[];
  let events: ReportEvent[];

  /** What the mail server does with the next mails. It accepts further ones. */
  let responses: ((mail: ReportMail) => Promise<void>)[];

  const mailer: Mailer = {
    async send(mail) {
      await responses.shift()?.(mail);
      sent.push(mail);
    },
  };
  const refuse = (detail: string) => async () => {
    throw new MailFailed(detail);
  };

  const deps = (overrides: Partial<SendReportsDependencies> = {}): SendReportsDependencies => ({
    ...ports,
    mailer,
    zone: timeZone('UTC'),
    now: () => now,
    linksOf: async (id, { from, to }) => ({ pageUrl: `page ${id} ${from} ${to}`, unsubscribeUrl: `unsubscribe ${id}` }),
    messageHost: 'stats.example',
    clock: { now: () => now.getTime(), sleep: async (milliseconds) => pass(milliseconds) },
    onReport: (event) => events.push(event),
    ...overrides,
  });
  const outcomes = () => events.splice(0).map(({ outcome }) => outcome);
  const pass = (milliseconds: number) => {
    now = new Date(now.getTime() + milliseconds);
  };

  const addWebsite = async (...days: readonly Day[]): Promise<string> => {
    const id = newId();
    await ports.websites.insert(accountId, aWebsite({ id, url: `https://${id}.example`, emailReports: true }));
    const hits = days.map((day, index) => {
      return aCountedHit({ websiteId: id, day, time: new Date(`${day}T12:00:00Z`), visitor: BigInt(index) });
    });
    await ports.hits.add(newId(), hits);
    return id;
  };

  beforeEach(async () => {
    ports = await makeRepositories();
    accountId = newId();
    const email = { address: TO, since: new Date('2026-11-01T00:00:00Z') };
    await ports.access.insertAccount({ id: accountId, name: accountId, createdAt: new Date(0), email });
    now = new Date('2026-11-23T09:00:00.000Z');
    [sent, events, responses] = [[], [], []];
  });

  describe('sends', () => {
    it('each report once, with the numbers of the statistics API', async () => {
      const id = await addWebsite('2026-11-09', '2026-11-16', '2026-11-16', '2026-11-22', '2026-11-23');

      await sendDueReports(deps());
      await sendDueReports(deps());

      const query = { websiteId: id, from: '2026-11-16', to: '2026-11-22', filters: [] };
      const { totals, comparison } = await showStatistics(ports, query, 'previous');
      expect(sent).toMatchObject([
        {
          to: TO,
          date: now,
          messageId: `report.2026-W47.${id}@stats.example`,
          pageUrl: `page ${id} 2026-11-16 2026-11-22`,
          unsubscribeUrl: `unsubscribe ${id}`,
          report: {
            websiteId: id,
            url: `https://${id}.example`,
            week: { name: '2026-W47' },
            lastFullWeek: { name: '2026-W47' },
            isUnfinished: false,
            timeZone: 'UTC',
            totals,
            previous: comparison?.totals,
          },
        },
      ]);
      expect(totals).toMatchObject({ visitors: 3, pageviews: 3 });
      expect(comparison?.totals).toMatchObject({ visitors: 1 });
      expect(sent[0]?.report.days.map(({ start, visitors }) => [start, visitors])).toEqual([
        ['2026-11-16', 2],
        ['2026-11-17', 0],
        ['2026-11-18', 0],
        ['2026-11-19', 0],
        ['2026-11-20', 0],
        ['2026-11-21', 0],
        ['2026-11-22', 1],
      ]);
      expect(sent[0]?.report.lists.page).toHaveLength(1);
      expect(outcomes()).toEqual(['sent']);
    });

    it('nothing before Monday 09:00, and a missed report until Sunday ends', async () => {
      await addWebsite('2026-11-20');

      for (const time of ['2026-11-22T23:59:59Z', '2026-11-23T08:59:59Z', '2026-11-30T08:59:59Z']) {
        now = new Date(time);
        await sendDueReports(deps());
      }
      const early = sent.length;
      now = new Date('2026-11-29T23:59:59Z');
      await sendDueReports(deps());

      expect([early, sent.length]).toEqual([0, 1]);
    });

    it('nothing if the week and the one before had no visits', async () => {
      await addWebsite('2026-11-08', '2026-11-23');
      const id = await addWebsite('2026-11-15');

      await sendDueReports(deps());

      expect(sent.map(({ report }) => report.websiteId)).toEqual([id]);
      expect(outcomes().toSorted()).toEqual(['sent', 'skipped']);
    });

    it('every report once, from many concurrent instances', async () => {
      const ids = await Promise.all(Array.from({ length: 12 }, () => addWebsite('2026-11-20')));

      await Promise.all([1, 2, 3].map(() => sendDueReports(deps())));

      expect(sent.map(({ report }) => report.websiteId).toSorted()).toEqual(ids.toSorted());
    });

    it('nothing more once Sunday ends meanwhile', async () => {
      await Promise.all(Array.from({ length: 5 }, () => addWebsite('2026-11-20')));
      now = new Date('2026-11-29T23:59:59.000Z');
      responses = [
        async () => {
          now = new Date('2026-11-30T00:00:00.000Z');
        },
      ];

      await sendDueReports(deps());

      // The other sender may have claimed one as well.
      expect(sent.length).toBeGreaterThan(0);
      expect(sent.length).toBeLessThanOrEqual(2);
    });

    it('nothing once its signal has aborted', async () => {
      await addWebsite('2026-11-20');

      await sendDueReports(deps(), AbortSignal.abort());

      expect(sent).toEqual([]);
    });
  });

  describe('after a failure', () => {
    it('sends the same mail again after a minute, not earlier', async () => {
      await addWebsite('2026-11-20');
      const tried: ReportMail[] = [];
      responses = [
        async (mail) => {
          tried.push(mail);
          throw new MailFailed(`451 try ${TO} later`);
        },
      ];

      await sendDueReports(deps());
      pass(MINUTE_MS - 1);
      await sendDueReports(deps());
      const early = sent.length;
      pass(1);
      await sendDueReports(deps());

      expect(early).toBe(0);
      expect(sent.map(({ messageId }) => messageId)).toEqual(tried.map(({ messageId }) => messageId));
      expect(events).toMatchObject([
        { outcome: 'retried', detail: '451 try … later', retryAt: new Date('2026-11-23T09:01:00.000Z') },
        { outcome: 'sent' },
      ]);
    });

    it('tries seven times, then reports the failure', async () => {
      const id = await addWebsite('2026-11-20');
      responses = Array.from({ length: 10 }, (_, index) => refuse(`550 ${index}`));

      for (const minutes of [0, 1, 5, 30, 120, 360, 720, 1440, 1440]) {
        pass(minutes * MINUTE_MS);
        await sendDueReports(deps());
      }

      expect(outcomes()).toEqual(['retried', 'retried', 'retried', 'retried', 'retried', 'retried', 'failed']);
      expect(await ports.outbox.latestFailure(id)).toMatchObject({ week: '2026-W47', detail: '550 6' });
    });

    it('gives up after Sunday, and sends the report of the next week', async () => {
      const id = await addWebsite('2026-11-20');
      now = new Date('2026-11-29T23:58:00.000Z');
      responses = [refuse('450 not now')];

      await sendDueReports(deps());
      now = new Date('2026-11-30T00:00:00.000Z');
      await sendDueReports(deps());
      const failure = await ports.outbox.latestFailure(id);
      now = new Date('2026-11-30T09:00:00.000Z');
      await sendDueReports(deps());

      expect(failure).toMatchObject({ week: '2026-W47', detail: '450 not now' });
      expect(events).toMatchObject([
        { outcome: 'retried' },
        { outcome: 'failed', week: '2026-W47', detail: '450 not now', websiteId: id },
        { outcome: 'sent', week: '2026-W48' },
      ]);
      expect(await ports.outbox.latestFailure(id)).toBeUndefined();
    });

    it('sends the other reports if the failure was internal, and tries again', async () => {
      await Promise.all(Array.from({ length: 6 }, () => addWebsite('2026-11-20')));
      responses = [() => Promise.reject(new TypeError('a fault'))];

      await sendDueReports(deps());

      expect(sent).toHaveLength(5);
      expect(events).toContainEqual(
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
      ...ports.statistics,
      totals: (query) => (query.websiteId === id ? away() : ports.statistics.totals(query)),
    });

    it('records a sent mail as soon as it is back, and sends it once', async () => {
      await addWebsite('2026-11-20');
      let outages = 20;
      const finish: ReportOutbox['finish'] = (report, outcome) => {
        outages -= 1;
        return outages < 0 ? ports.outbox.finish(report, outcome) : away();
      };

      await sendDueReports(deps({ outbox: { ...ports.outbox, finish } }));
      pass(LEASE_MS);
      await sendDueReports(deps());

      expect(sent).toHaveLength(1);
      expect(outcomes()).toEqual(['sent']);
    });

    it('tries to record a sent mail until its lease ends', async () => {
      await addWebsite('2026-11-20');
      const start = now.getTime();

      await expect(sendDueReports(deps({ outbox: { ...ports.outbox, finish: away } }))).rejects.toMatchObject({
        code: 'unavailable',
      });

      const waited = now.getTime() - start;
      expect(waited).toBeGreaterThan(LEASE_MS - 1_000);
      expect(waited).toBeLessThan(LEASE_MS);
    });

    it('counts a report that cannot be made as a failed try, and sends the others', async () => {
      const slow = await addWebsite('2026-11-20');
      const others = await Promise.all([addWebsite('2026-11-20'), addWebsite('2026-11-20')]);

      await sendDueReports(deps({ statistics: slowFor(slow) }));
      const first = events.filter(({ websiteId }) => websiteId === slow);
      pass(MINUTE_MS);
      await sendDueReports(deps());

      expect(first).toMatchObject([
        {
          outcome: 'retried',
          websiteId: slow,
          week: '2026-W47',
          detail: 'The report could not be made: the database was away or took too long.',
          retryAt: new Date('2026-11-23T09:01:00.000Z'),
        },
      ]);
      const received = sent.map(({ report }) => report.websiteId);
      expect(received.slice(0, 2).toSorted()).toEqual(others.toSorted());
      expect(received.slice(2)).toEqual([slow]);
    });

    it('gives up a report that can never be made, and keeps the failure', async () => {
      const slow = await addWebsite('2026-11-20');

      for (const minutes of [0, 1, 5, 30, 120, 360, 720]) {
        pass(minutes * MINUTE_MS);
        await sendDueReports(deps({ statistics: slowFor(slow) }));
      }

      expect(outcomes()).toEqual(['retried', 'retried', 'retried', 'retried', 'retried', 'retried', 'failed']);
      expect(await ports.outbox.latestFailure(slow)).toMatchObject({ detail: expect.stringContaining('database') });
    });

    it('ends if not even a failure can be recorded, and tries again when the lease has ended', async () => {
      const id = await addWebsite('2026-11-20');
      const gone = deps({ statistics: slowFor(id), outbox: { ...ports.outbox, fail: away } });

      await expect(sendDueReports(gone)).rejects.toMatchObject({ code: 'unavailable' });
      pass(LEASE_MS);
      await sendDueReports(deps());

      expect(outcomes()).toEqual(['sent']);
    });
  });

  describe('if a sender dies', () => {
    it('after its claim, sends the report when the lease has ended', async () => {
      await addWebsite('2026-11-20');
      await ports.outbox.record('2026-W47', new Date('2026-11-23T00:00:00Z'), now);
      await ports.outbox.claim('2026-W47', new Date('2026-11-23T00:00:00Z'), now, new Date(now.getTime() + LEASE_MS));

      pass(LEASE_MS - 1);
      await sendDueReports(deps());
      const early = sent.length;
      pass(1);
      await sendDueReports(deps());

      expect([early, sent.length]).toEqual([0, 1]);
    });

    it('between sending a mail and recording it, sends it once more with the same Message-ID', async () => {
      await addWebsite('2026-11-20');
      const dying = { ...ports.outbox, finish: () => Promise.reject(new Error('killed')) };

      await expect(sendDueReports(deps({ outbox: dying }))).rejects.toThrow('killed');
      await sendDueReports(deps());
      const early = sent.length;
      pass(LEASE_MS);
      await sendDueReports(deps());
      await sendDueReports(deps());

      expect([early, sent.length]).toEqual([1, 2]);
      expect(sent[0]?.messageId).toBe(sent[1]?.messageId);
    });
  });
}
