import { UNRECORDED } from '@hitherto/domain/changes';
import { sendDueReports } from '@hitherto/domain/reports';
import { LEASE_MS } from '@hitherto/domain/tasks';
import { GAPS, type HitRule, NO_TOTALS } from '@hitherto/domain/visits';
import { newId } from '@hitherto/outside/system';
import { aCountedHit, anAnnotation, dueReports } from '@hitherto/testing/fixtures';
import { localeOf } from '@hitherto/words';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Ports, type Sending, startSending, TO } from './support/report-sending.ts';

/** The contract of `sendDueReports`, over the outbox of an adapter. */
export function sendReportsContract(makeRepositories: () => Promise<Ports>): void {
  let sending: Sending;
  beforeEach(async () => {
    sending = await startSending(makeRepositories);
  });

  describe('sends', () => {
    it('each report once, with the numbers of the statistics API', async () => {
      const id = await sending.addWebsite('2026-11-09', '2026-11-16', '2026-11-16', '2026-11-22', '2026-11-23');

      await sendDueReports(sending.deps());
      await sendDueReports(sending.deps());

      const query = { websiteId: id, from: '2026-11-16', to: '2026-11-22', filters: [] };
      const totals = await sending.ports.statistics.totals(query);
      const previous = await sending.ports.statistics.totals({ ...query, from: '2026-11-09', to: '2026-11-15' });
      expect(sending.sent).toMatchObject([
        {
          to: TO,
          date: sending.now,
          messageId: `report.2026-W47.${id}@stats.example`,
          pageUrl: `page ${id} 2026-11-16 2026-11-22`,
          unsubscribeUrl: `unsubscribe ${id}`,
          report: {
            websiteId: id,
            url: `https://${id}.example`,
            period: { kind: 'weekly', name: '2026-W47' },
            isLast: true,
            isUnfinished: false,
            timeZone: 'UTC',
            totals,
            previous,
          },
        },
      ]);
      expect(totals).toMatchObject({ visitors: 3, pageviews: 3 });
      expect(previous).toMatchObject({ visitors: 1 });
      expect(sending.sent[0]?.report.points.map(({ start, visitors }) => [start, visitors])).toEqual([
        ['2026-11-16', 2],
        ['2026-11-17', 0],
        ['2026-11-18', 0],
        ['2026-11-19', 0],
        ['2026-11-20', 0],
        ['2026-11-21', 0],
        ['2026-11-22', 1],
      ]);
      expect(sending.sent[0]?.report.lists.page).toHaveLength(1);
      expect(sending.outcomes()).toEqual(['sent']);
    });

    it('in the language of the website, else in that of the installation', async () => {
      await sending.addWebsite('2026-11-16', { language: 'de' });
      await sending.addWebsite('2026-11-16');

      await sendDueReports(sending.deps({ locale: localeOf('fr') }));

      expect(sending.sent.map(({ locale }) => locale.language).toSorted()).toEqual(['de', 'fr']);
    });

    it('the annotations of the week, private ones included, by day', async () => {
      const { ports, accountId } = sending;
      const id = await sending.addWebsite('2026-11-16');
      const days = ['2026-11-22', '2026-11-15', '2026-11-23', '2026-11-16'];
      for (const day of days) {
        const annotation = anAnnotation({ id: newId(), day, text: `é ${day}`, isPublic: day === '2026-11-22' });
        await ports.annotations.insert({ accountId, websiteId: id }, annotation, UNRECORDED);
      }

      await sendDueReports(sending.deps());

      expect(sending.sent[0]?.report.annotations).toEqual([
        { day: '2026-11-16', text: 'é 2026-11-16' },
        { day: '2026-11-22', text: 'é 2026-11-22' },
      ]);
    });

    it('the conversions of each goal, in the order of their creation, and those of the week before', async () => {
      const { ports, accountId, now } = sending;
      const id = await sending.addWebsite('2026-11-16');
      const add = (name: string, content: { rule: HitRule; sum: string | null }) => {
        const definition = { id: newId(), name, content, createdAt: now, updatedAt: now };
        return ports.definitions.goal.insert({ accountId, websiteId: id }, definition, UNRECORDED);
      };
      await add('Signup', { rule: { event: 'Signup', props: { plan: 'pro' } }, sum: 'amount' });
      await add('é /', { rule: { page: '*' }, sum: null });
      const signup = (day: string, plan: string) =>
        aCountedHit({
          websiteId: id,
          day,
          time: new Date(`${day}T13:00:00Z`),
          name: 'Signup',
          props: { plan, amount: 2.5 },
        });
      await ports.hits.add([signup('2026-11-15', 'pro'), signup('2026-11-22', 'pro'), signup('2026-11-20', 'pro')]);
      await ports.hits.add([signup('2026-11-20', 'free'), signup('2026-11-23', 'pro')]);

      await sendDueReports(sending.deps());

      expect(sending.sent[0]?.report.goals).toStrictEqual([
        { name: 'Signup', conversions: 2, sum: '5.00', previous: 1 },
        { name: 'é /', conversions: 1, sum: null, previous: 0 },
      ]);
    });

    it('the month before on its first day, by week, to account and members, next to the report of the week', async () => {
      const { ports } = sending;
      const id = await sending.addWebsite(
        { report: 'both' },
        '2026-11-01',
        '2026-11-02',
        '2026-11-24',
        '2026-11-30',
        '2026-10-02',
      );
      sending.now = new Date('2026-12-01T08:59:59.000Z');
      await sendDueReports(sending.deps());
      const early = sending.sent.splice(0).map(({ report }) => report.period.name);
      sending.now = new Date('2026-12-01T09:00:00.000Z');

      await sendDueReports(sending.deps());
      await sendDueReports(sending.deps());

      expect([early, sending.sent.length]).toEqual([['2026-W48'], 1]);
      const query = { websiteId: id, from: '2026-11-01', to: '2026-11-30', filters: [] };
      expect(sending.sent).toMatchObject([
        {
          messageId: `report.2026-11.${id}@stats.example`,
          pageUrl: `page ${id} 2026-11-01 2026-11-30`,
          report: {
            period: { kind: 'monthly', name: '2026-11' },
            totals: await ports.statistics.totals(query),
            previous: { visitors: 1 },
            previousDays: { from: '2026-10-02', to: '2026-10-31' },
          },
        },
      ]);
      expect(sending.sent[0]?.report.points.map(({ visitors }) => visitors)).toEqual([1, 1, 0, 0, 1, 1]);
    });

    it('nothing before Monday 09:00, and a missed report until Sunday ends', async () => {
      await sending.addWebsite('2026-11-20');

      for (const time of ['2026-11-22T23:59:59Z', '2026-11-23T08:59:59Z', '2026-11-30T08:59:59Z']) {
        sending.now = new Date(time);
        await sendDueReports(sending.deps());
      }
      const early = sending.sent.length;
      sending.now = new Date('2026-11-29T23:59:59Z');
      await sendDueReports(sending.deps());

      expect([early, sending.sent.length]).toEqual([0, 1]);
    });

    it('each report on the Monday of its website’s zone, about the days of that zone', async () => {
      const east = await sending.addWebsite({ timeZone: 'Pacific/Kiritimati' }, '2026-11-22');
      const west = await sending.addWebsite({ timeZone: 'Pacific/Pago_Pago' }, '2026-11-22');
      const here = await sending.addWebsite('2026-11-22');
      const sentAt = async (time: string) => {
        sending.now = new Date(time);
        const before = sending.sent.length;
        await sendDueReports(sending.deps());
        return sending.sent.slice(before).map(({ report }) => report.websiteId);
      };

      const times = ['2026-11-22T18:59:59Z', '2026-11-22T19:00:00Z', '2026-11-23T09:00:00Z', '2026-11-23T19:59:59Z'];
      const sent: string[][] = [];
      for (const time of [...times, '2026-11-23T20:00:00Z', '2026-11-24T20:00:00Z']) sent.push(await sentAt(time));

      expect(sent).toEqual([[], [east], [here], [], [west], []]);
      expect(
        sending.sent.map(({ report }) => [report.timeZone, report.isUnfinished, report.points.at(-1)]),
      ).toMatchObject([
        ['Pacific/Kiritimati', false, { start: '2026-11-22', visitors: 1 }],
        ['UTC', false, { start: '2026-11-22', visitors: 1 }],
        ['Pacific/Pago_Pago', false, { start: '2026-11-22', visitors: 1 }],
      ]);
    });

    it('nothing once the week is too old in the zone of the website', async () => {
      const east = { timeZone: 'Pacific/Kiritimati' };
      await sending.addWebsite(east, '2026-11-22');
      await sending.ports.outbox.record(
        [dueReports('2026-W47', { ...east, end: new Date('2026-11-22T10:00:00Z') })],
        new Date('2026-11-22T19:00:00Z'),
      );

      sending.now = new Date('2026-11-29T10:00:00Z');
      await sendDueReports(sending.deps());

      expect([sending.sent, sending.outcomes()]).toEqual([[], []]);
    });

    it('nothing if the week and the one before had no visits', async () => {
      await sending.addWebsite('2026-11-08', '2026-11-23');
      const id = await sending.addWebsite('2026-11-15');

      await sendDueReports(sending.deps());

      expect(sending.sent.map(({ report }) => report.websiteId)).toEqual([id]);
      expect(sending.outcomes().toSorted()).toEqual(['sent', 'skipped']);
    });

    it('a report of imported days whose visits are unknown', async () => {
      const id = await sending.addWebsite();
      const { statistics } = sending.ports;
      const day = { ...NO_TOTALS, start: '2026-11-16', visitors: 7, pageviews: 9, gaps: GAPS.visits };
      const overview = async () => ({ days: [day], values: new Map() });

      const reading: typeof statistics.reading = (_, work) => work({ ...statistics, overview });

      await sendDueReports(sending.deps({ statistics: { ...statistics, reading } }));

      expect(sending.sent.map(({ report }) => report.websiteId)).toEqual([id]);
    });

    it('every report once, from many concurrent instances', async () => {
      const ids = await Promise.all(Array.from({ length: 12 }, () => sending.addWebsite('2026-11-20')));

      await Promise.all([1, 2, 3].map(() => sendDueReports(sending.deps())));

      expect(sending.sent.map(({ report }) => report.websiteId).toSorted()).toEqual(ids.toSorted());
    });

    it('nothing more once Sunday ends meanwhile', async () => {
      await Promise.all(Array.from({ length: 5 }, () => sending.addWebsite('2026-11-20')));
      sending.now = new Date('2026-11-29T23:59:59.000Z');
      sending.responses = [
        async () => {
          sending.now = new Date('2026-11-30T00:00:00.000Z');
        },
      ];

      await sendDueReports(sending.deps());

      // The other sender may have claimed one as well.
      expect(sending.sent.length).toBeGreaterThan(0);
      expect(sending.sent.length).toBeLessThanOrEqual(2);
    });

    it('nothing about websites that get no report any more, until they do again', async () => {
      const { access } = sending.ports;
      const id = await sending.addWebsite('2026-11-20');
      const { accountId = '' } = (await sending.ports.directory.findById(id)) ?? {};
      const { email = null } = (await access.findAccount(accountId)) ?? {};
      await sending.ports.outbox.record([dueReports('2026-W47')], sending.now);
      await access.updateAccount(accountId, { email: null }, UNRECORDED);

      await sendDueReports(sending.deps());
      const without = [sending.outcomes(), await sending.ports.tasks.records('report', id)];
      await access.updateAccount(accountId, { email }, UNRECORDED);
      await sendDueReports(sending.deps());

      expect(without).toEqual([[], []]);
      expect(sending.outcomes()).toEqual(['sent']);
    });

    it('nothing about earlier weeks, even if nobody could send them in time', async () => {
      const id = await sending.addWebsite('2026-11-13', '2026-11-20');
      await sending.ports.outbox.record([dueReports('2026-W46')], sending.now);

      await sendDueReports(sending.deps());

      expect(sending.sent.map(({ report }) => report.period.name)).toEqual(['2026-W47']);
      expect(await sending.ports.tasks.records('report', id)).toMatchObject([{ key: '2026-W47', state: 'sent' }]);
    });

    it('nothing once its signal has aborted', async () => {
      await sending.addWebsite('2026-11-20');

      await sendDueReports(sending.deps(), AbortSignal.abort());

      expect(sending.sent).toEqual([]);
    });
  });

  describe('if a sender dies', () => {
    it('after its claim, sends the report when the lease has ended', async () => {
      await sending.addWebsite('2026-11-20');
      await sending.ports.outbox.record([dueReports('2026-W47')], sending.now);
      await sending.ports.tasks.claim('report', sending.now, new Date(sending.now.getTime() + LEASE_MS));

      sending.pass(LEASE_MS - 1);
      await sendDueReports(sending.deps());
      const early = sending.sent.length;
      sending.pass(1);
      await sendDueReports(sending.deps());

      expect([early, sending.sent.length]).toEqual([0, 1]);
    });

    it('between sending a mail and recording it, sends it once more with the same Message-ID', async () => {
      await sending.addWebsite('2026-11-20');
      const dying = { ...sending.ports.tasks, finish: () => Promise.reject(new Error('killed')) };

      await expect(sendDueReports(sending.deps({ tasks: dying }))).rejects.toThrow('killed');
      await sendDueReports(sending.deps());
      const early = sending.sent.length;
      sending.pass(LEASE_MS);
      await sendDueReports(sending.deps());
      await sendDueReports(sending.deps());

      expect([early, sending.sent.length]).toEqual([1, 2]);
      expect(sending.sent[0]?.messageId).toBe(sending.sent[1]?.messageId);
    });
  });
}
