import {
  type AlertInput,
  type CheckAlertsDependencies,
  type CountedHit,
  checkDueAlerts,
  createAlert,
  createDefinition,
  type Firing,
  MailFailed,
  MONOTONIC_CLOCK,
  type NoticeMail,
  parseNewGoal,
  type Repositories,
  type SendAlertsDependencies,
  type StatisticsEngine,
  sendDueAlerts,
  timeZone,
  updateAlert,
  type WebsiteKey,
} from '@hitherto/domain';
import { AN_AUTHOR, aCountedHit } from '@hitherto/domain/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../src/system.ts';
import { addAccount, addWebsites } from './repositories.ts';

type Ports = Repositories & Pick<StatisticsEngine, 'statistics'>;

/** Noon of a Friday. */
const NOON = new Date('2026-11-20T12:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** The behaviour of `checkDueAlerts` and `sendDueAlerts` on an adapter, with the numbers of its engine. */
export function checkAlertsContract(makeRepositories: () => Promise<Ports>): void {
  let ports: Ports;
  let key: WebsiteKey;
  let now: Date;
  let fired: Firing[];
  let visitors: bigint;

  beforeEach(async () => {
    ports = await makeRepositories();
    const accountId = await addAccount(ports);
    await ports.access.setEmail(accountId, { address: 'owner@example.com', since: NOON });
    const id = newId();
    const [website] = await addWebsites(ports, accountId, [`https://${id}.example`]);
    key = { accountId, websiteId: website?.id ?? '' };
    now = NOON;
    fired = [];
    visitors = 1n;
  });

  const deps = (): CheckAlertsDependencies => ({
    ...ports,
    zone: timeZone('UTC'),
    now: () => now,
    newId,
    pageUrlOf: (id) => `https://stats.example/statistics/${id}`,
    onFired: (_, firing) => {
      fired.push(firing);
    },
  });
  const create = (input: AlertInput) => createAlert({ ...deps(), ...ports, author: AN_AUTHOR }, key, input);
  const update = (id: string, input: AlertInput) =>
    updateAlert({ ...deps(), ...ports, author: AN_AUTHOR }, key, id, input);
  /** Hits of so many visitors, one hit each, at this time. */
  const addHits = async (time: Date, count: number, overrides: Partial<CountedHit> = {}) => {
    const hits = Array.from({ length: count }, () => {
      visitors += 1n;
      return aCountedHit({ websiteId: key.websiteId, time, visitor: visitors, ...overrides });
    });
    await ports.hits.add(hits);
  };
  const drop = (hits: number, reason: 'bot' | 'foreign_host' = 'bot') =>
    ports.hits.add([], [{ websiteId: key.websiteId, day: now.toISOString().slice(0, 10), reason, hits }]);
  const before = (ms: number, time = now) => new Date(time.getTime() - ms);
  const checkAfter = async (minutes: number) => {
    now = new Date(now.getTime() + minutes * MINUTE_MS);
    const known = fired.length;
    await checkDueAlerts(deps());
    return fired.slice(known).map(({ event }) => event.data.alert);
  };

  describe('a spike fires', () => {
    it('when current visitors reach the threshold, and again after they were below it', async () => {
      await create({ rule: 'spike', threshold: 3 });
      await addHits(before(MINUTE_MS), 2);
      expect(await checkAfter(0)).toEqual([]);

      await addHits(before(MINUTE_MS), 1);
      expect(await checkAfter(1)).toMatchObject([{ rule: 'spike', number: 3 }]);
      expect(await checkAfter(1)).toEqual([]);
      expect(await checkAfter(10)).toEqual([]);
      await addHits(now, 3);
      expect(await checkAfter(1)).toHaveLength(1);
    });

    it('without a threshold at three times the highest 5 minutes of this hour of the week', async () => {
      await create({ rule: 'spike' });
      await addHits(new Date(before(2 * WEEK_MS).getTime() + 31 * MINUTE_MS), 10);
      await addHits(before(2 * WEEK_MS - HOUR_MS), 90);
      await addHits(before(MINUTE_MS), 29);
      expect(await checkAfter(0)).toEqual([]);

      await addHits(before(MINUTE_MS), 1);
      const [alert] = await checkAfter(1);
      expect(alert).toMatchObject({ number: 30, usual: 10 });
      expect(alert?.text).toContain('has 30 visitors right now. The most within 5 minutes');
    });
  });

  it('a drop fires when the day so far has less than 30 % of the usual', async () => {
    await create({ rule: 'drop' });
    for (const weeks of [1, 2, 3]) {
      await addHits(before(weeks * WEEK_MS + HOUR_MS), 50);
      // Later on that day.
      await addHits(before(weeks * WEEK_MS - HOUR_MS), 500);
    }
    await addHits(before(2 * HOUR_MS), 15);
    expect(await checkAfter(0)).toEqual([]);

    for (const weeks of [1, 2, 3]) await addHits(before(weeks * WEEK_MS + HOUR_MS), 1);
    const [alert] = await checkAfter(1);
    expect(alert).toMatchObject({ rule: 'drop', number: 15, usual: 51 });
    expect(alert?.text).toContain('15 visitors today so far. By this time, it is usually 51 on this weekday.');
  });

  it('silence fires when there was no hit for so many hours, on a website that has had one', async () => {
    await create({ rule: 'silence', hours: 2 });
    expect(await checkAfter(0)).toEqual([]);
    await addHits(now, 1);

    expect(await checkAfter(119)).toEqual([]);
    const [alert] = await checkAfter(2);
    // Before its first hit, a website had nothing that could be usual.
    expect(alert).toMatchObject({ rule: 'silence', number: 0, usual: null });
    expect(alert?.text).toContain('is the tracker still there? There is no usual number yet.');
    expect(await checkAfter(60 * 24 * 29)).toEqual([]);
  });

  describe('a goal', () => {
    const addGoal = async () => {
      const input = parseNewGoal({ name: 'Signup é', event: 'Signup' });
      return (await createDefinition({ ...deps(), ...ports, author: AN_AUTHOR }, 'goal', key, input)).id;
    };
    const signUps = (count: number) => addHits(now, count, { name: 'Signup', props: {} });

    it('fires once a day when its conversions reach the threshold', async () => {
      await create({ rule: 'goal', goalId: await addGoal(), threshold: 2 });
      await signUps(1);
      expect(await checkAfter(0)).toEqual([]);

      await signUps(1);
      const [alert] = await checkAfter(1);
      expect(alert).toMatchObject({ rule: 'goal', number: 2 });
      expect(alert?.text).toContain('has had 2 conversions of “Signup é” today.');
      await signUps(1);
      expect(await checkAfter(1)).toEqual([]);
      expect(await checkAfter(24 * 60)).toEqual([]);
      await signUps(2);
      expect(await checkAfter(1)).toHaveLength(1);
    });

    it('fires once a day, also when its threshold is changed', async () => {
      const { id } = await create({ rule: 'goal', goalId: await addGoal(), threshold: 1 });
      await signUps(2);
      expect(await checkAfter(0)).toHaveLength(1);

      await update(id, { threshold: 2 });
      expect(await checkAfter(1)).toEqual([]);
    });

    it('that is deleted fires no more, and one that does not exist is rejected', async () => {
      const goalId = await addGoal();
      await create({ rule: 'goal', goalId, threshold: 1 });
      await ports.definitions.delete('goal', key, goalId);
      await signUps(3);

      expect(await checkAfter(0)).toEqual([]);
      await expect(create({ rule: 'goal', goalId, threshold: 1 })).rejects.toMatchObject({
        faults: [{ field: 'goalId', code: 'unknown_goal' }],
      });
    });
  });

  describe('dropped hits', () => {
    it('fire when they are more than so many percent of the last hour, with the main reason', async () => {
      await drop(500, 'foreign_host');
      await create({ rule: 'dropped', percent: 50 });
      await addHits(now, 50);
      await drop(50);
      expect(await checkAfter(1)).toEqual([]);

      await drop(1);
      const [alert] = await checkAfter(1);
      expect(alert).toMatchObject({ rule: 'dropped', number: 50.5 });
      expect(alert?.text).toContain('50.5 % were dropped, most because of bot:');
    });

    it('do not count once they are more than an hour old', async () => {
      await create({ rule: 'dropped', percent: 10 });
      await drop(90);
      expect(await checkAfter(1)).toEqual([]);
      for (let minutes = 0; minutes < 62; minutes += 2) await checkAfter(2);

      await drop(20);
      expect(await checkAfter(1)).toEqual([]);
      await drop(80);
      expect(await checkAfter(1)).toHaveLength(1);
    });

    it('are counted over midnight', async () => {
      now = new Date('2026-11-20T23:58:00.000Z');
      await create({ rule: 'dropped', percent: 10 });
      await drop(60);
      expect(await checkAfter(1)).toEqual([]);
      now = new Date('2026-11-21T00:01:00.000Z');
      await drop(60);

      expect(await checkAfter(1)).toHaveLength(1);
    });
  });

  it('an alert has the top sources and pages of the day, and a link', async () => {
    await create({ rule: 'spike', threshold: 1 });
    await addHits(now, 2, { source: null, page: '/a' });
    await addHits(now, 1, { source: 'Ünïcode', page: '/b' });

    expect(await checkAfter(0)).toMatchObject([
      {
        sources: [
          { value: null, visitors: 2 },
          { value: 'Ünïcode', visitors: 1 },
        ],
        pages: [
          { value: '/a', visitors: 2 },
          { value: '/b', visitors: 1 },
        ],
        pageUrl: `https://stats.example/statistics/${key.websiteId}`,
      },
    ]);
  });

  describe('an alert that is changed', () => {
    it('fires again only if its condition is a new one', async () => {
      const { id } = await create({ rule: 'spike', threshold: 1 });
      await addHits(now, 3);
      expect(await checkAfter(0)).toHaveLength(1);

      await update(id, { email: false });
      expect(await checkAfter(1)).toEqual([]);
      await update(id, { threshold: 2 });
      expect(await checkAfter(1)).toHaveLength(1);
    });

    it('fires at most twice a day nevertheless', async () => {
      const { id } = await create({ rule: 'spike', threshold: 1 });
      await addHits(now, 3);
      expect(await checkAfter(0)).toHaveLength(1);
      await update(id, { threshold: 2 });
      expect(await checkAfter(1)).toHaveLength(1);

      await update(id, { threshold: 3 });
      expect(await checkAfter(1)).toEqual([]);
    });

    it('still counts the dropped hits from before', async () => {
      const { id } = await create({ rule: 'dropped', percent: 90 });
      await addHits(now, 50);
      await drop(60);
      expect(await checkAfter(1)).toEqual([]);

      await update(id, { percent: 50 });
      expect(await checkAfter(1)).toMatchObject([{ number: 54.5 }]);
    });
  });

  it('a process that dies during a check loses no alert, and fires none twice', async () => {
    await create({ rule: 'spike', threshold: 1 });
    await addHits(now, 1);
    const killed = { ...deps(), alerts: { ...ports.alerts, record: () => Promise.reject(new Error('killed')) } };

    await expect(checkDueAlerts(killed)).rejects.toThrow('killed');
    expect(await checkAfter(1)).toHaveLength(1);
    await Promise.all([checkDueAlerts(deps()), checkDueAlerts(deps())]);
    expect(await ports.tasks.history('alert', key.websiteId)).toHaveLength(1);
  });

  describe('the mail of an alert', () => {
    let mails: NoticeMail[];
    let faults: Error[];
    beforeEach(() => {
      mails = [];
      faults = [];
    });
    const sender = (): SendAlertsDependencies => ({
      ...ports,
      clock: MONOTONIC_CLOCK,
      now: () => now,
      messageHost: 'stats.example',
      onMail: () => {},
      mailer: {
        async notify(mail) {
          const fault = faults.shift();
          if (fault !== undefined) throw fault;
          mails.push(mail);
        },
      },
    });
    const sendAfter = async (minutes: number) => {
      now = new Date(now.getTime() + minutes * MINUTE_MS);
      await sendDueAlerts(sender());
    };
    const fire = async () => {
      await create({ rule: 'spike', threshold: 1 });
      await addHits(now, 1);
      await checkAfter(0);
    };

    it('goes to the account once', async () => {
      await fire();
      await sendAfter(0);
      await sendAfter(1);

      expect(mails).toMatchObject([
        {
          to: 'owner@example.com',
          subject: expect.stringMatching(/^Spike: .*\.example$/),
          paragraphs: [fired[0]?.event.data.alert.text, expect.any(String)],
          link: { url: `https://stats.example/statistics/${key.websiteId}` },
          messageId: `alert.${fired[0]?.id}@stats.example`,
          date: NOON,
        },
      ]);
    });

    it('is tried again after 1, 5 and 30 minutes, 2, 6 and 12 hours, and then abandoned', async () => {
      await fire();
      faults = Array.from({ length: 9 }, () => new MailFailed('no owner@example.com'));
      for (const minutes of [0, 1, 5, 30, 120, 360]) {
        await sendAfter(minutes);
        expect(await ports.tasks.history('alert', key.websiteId)).toMatchObject([
          { state: 'waiting', failure: { detail: 'no ***' } },
        ]);
      }
      await sendAfter(720);

      expect(await ports.tasks.history('alert', key.websiteId)).toMatchObject([{ state: 'failed' }]);
      expect(faults).toHaveLength(2);
    });

    it('is dropped if it is more than a day late', async () => {
      await fire();
      await sendAfter(24 * 60 + 1);

      expect([mails, await ports.tasks.history('alert', key.websiteId)]).toEqual([[], []]);
    });

    it('is abandoned if it has failed and is more than a day late', async () => {
      await fire();
      faults = [new MailFailed('no')];
      await sendAfter(0);
      await sendAfter(24 * 60 + 1);

      expect(mails).toEqual([]);
      expect(await ports.tasks.history('alert', key.websiteId)).toMatchObject([
        { state: 'failed', failure: { detail: 'no' } },
      ]);
    });

    it('is dropped where the account has no address', async () => {
      await fire();
      await ports.access.setEmail(key.accountId, null);
      await sendAfter(0);

      expect([mails, await ports.tasks.history('alert', key.websiteId)]).toEqual([[], []]);
    });
  });
}
