import { ALERT, type AlertInput, checkDueAlerts, parseAlertChanges } from '@hitherto/domain/alerts';
import { UNRECORDED } from '@hitherto/domain/changes';
import { GOAL, parseNewGoal } from '@hitherto/domain/definitions';
import { createResource, updateResource } from '@hitherto/domain/resources';
import { AN_AUTHOR } from '@hitherto/testing/fixtures';
import { describe, expect, it } from 'vitest';
import { untilDone } from './statistics/support.ts';
import { alertChecks, MINUTE_MS, type Ports } from './support/alert-checks.ts';

const HOUR_MS = 60 * MINUTE_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** The behaviour of `checkDueAlerts` on an adapter, with the numbers of its engine. */
export function checkAlertsContract(makeRepositories: () => Promise<Ports>): void {
  const checks = alertChecks(makeRepositories);
  const { deps, create, addHits, checkAfter } = checks;
  const update = (id: string, input: AlertInput) =>
    updateResource({ ...deps(), ...checks.ports, author: AN_AUTHOR }, ALERT, checks.key, id, parseAlertChanges(input));
  const drop = (hits: number, reason: 'bot' | 'foreign_host' = 'bot') =>
    checks.ports.hits.add(
      [],
      [{ websiteId: checks.key.websiteId, day: checks.now.toISOString().slice(0, 10), reason, hits }],
    );
  const before = (ms: number, time = checks.now) => new Date(time.getTime() - ms);

  describe('a spike fires', () => {
    it('when current visitors reach the threshold, and again after they were below it', async () => {
      await create({ rule: 'spike', threshold: 3 });
      await addHits(before(MINUTE_MS), 2);
      expect(await checkAfter(0)).toEqual([]);

      await addHits(before(MINUTE_MS), 1);
      expect(await checkAfter(1)).toMatchObject([{ rule: 'spike', number: 3 }]);
      expect(await checkAfter(1)).toEqual([]);
      expect(await checkAfter(10)).toEqual([]);
      await addHits(checks.now, 3);
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

  describe('days whose hits are deleted', () => {
    const deleteHitsBefore = (day: string) => untilDone(() => checks.ports.maintenance.deleteHitsBefore(day));
    const usualVisits = async () => {
      for (const weeks of [1, 2, 3, 4]) await addHits(before(weeks * WEEK_MS + HOUR_MS), 60);
    };

    it('do not make usual traffic a spike', async () => {
      await create({ rule: 'spike' });
      await usualVisits();
      await addHits(before(MINUTE_MS), 40);
      await deleteHitsBefore('2026-11-14');

      expect(await checkAfter(0)).toEqual([]);
    });

    it('do not hide a drop, nor count as usual', async () => {
      await create({ rule: 'drop' });
      await usualVisits();
      await deleteHitsBefore('2026-11-13');

      expect(await checkAfter(0)).toMatchObject([{ rule: 'drop', number: 0, usual: 60 }]);
    });
  });

  it('silence fires when there was no hit for so many hours, on a website that has had one', async () => {
    await create({ rule: 'silence', hours: 2 });
    expect(await checkAfter(0)).toEqual([]);
    await addHits(checks.now, 1);

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
      return (await createResource({ ...deps(), ...checks.ports, author: AN_AUTHOR }, GOAL, checks.key, input)).id;
    };
    const signUps = (count: number) => addHits(checks.now, count, { name: 'Signup', props: {} });

    it('fires once a day when its conversions reach the threshold', async () => {
      await create({ rule: 'goal', goal_id: await addGoal(), threshold: 2 });
      await signUps(1);
      expect(await checkAfter(0)).toEqual([]);

      await signUps(1);
      const [alert] = await checkAfter(1);
      expect(alert).toMatchObject({ rule: 'goal', number: 2 });
      expect(alert?.text).toContain('has had 2 conversions of “Signup é” today so far.');
      await signUps(1);
      expect(await checkAfter(1)).toEqual([]);
      expect(await checkAfter(24 * 60)).toEqual([]);
      await signUps(2);
      expect(await checkAfter(1)).toHaveLength(1);
    });

    it('has the conversions of the same weekday by this time as its usual number', async () => {
      await create({ rule: 'goal', goal_id: await addGoal(), threshold: 1 });
      for (const weeks of [1, 2, 3]) {
        await addHits(before(weeks * WEEK_MS + HOUR_MS), 4, { name: 'Signup', props: {} });
        // Later on that day.
        await addHits(before(weeks * WEEK_MS - HOUR_MS), 50, { name: 'Signup', props: {} });
      }
      await signUps(1);

      const [alert] = await checkAfter(0);

      expect(alert).toMatchObject({ number: 1, usual: 4 });
    });

    it('fires once a day, also when its threshold is changed', async () => {
      const { id } = await create({ rule: 'goal', goal_id: await addGoal(), threshold: 1 });
      await signUps(2);
      expect(await checkAfter(0)).toHaveLength(1);

      await update(id, { threshold: 2 });
      expect(await checkAfter(1)).toEqual([]);
    });

    it('that is deleted fires no more, and one that does not exist is rejected', async () => {
      const goalId = await addGoal();
      await create({ rule: 'goal', goal_id: goalId, threshold: 1 });
      await checks.ports.definitions.goal.delete(checks.key, goalId, undefined, UNRECORDED);
      await signUps(3);

      expect(await checkAfter(0)).toEqual([]);
      await expect(create({ rule: 'goal', goal_id: goalId, threshold: 1 })).rejects.toMatchObject({
        faults: [{ field: 'goal_id', code: 'unknown_goal' }],
      });
    });
  });

  describe('dropped hits', () => {
    it('fire when they are more than so many percent of the last hour, with the main reason', async () => {
      await drop(500, 'foreign_host');
      await create({ rule: 'dropped', percent: 50 });
      await addHits(checks.now, 50);
      await drop(50);
      expect(await checkAfter(1)).toEqual([]);

      await drop(1);
      const [alert] = await checkAfter(1);
      expect(alert).toMatchObject({ rule: 'dropped', number: 50.5 });
      expect(alert?.text).toContain('50.5 % were dropped. Most often: A bot, or a browser that a program drives.');
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
      checks.now = new Date('2026-11-20T23:58:00.000Z');
      await create({ rule: 'dropped', percent: 10 });
      await drop(60);
      expect(await checkAfter(1)).toEqual([]);
      checks.now = new Date('2026-11-21T00:01:00.000Z');
      await drop(60);

      expect(await checkAfter(1)).toHaveLength(1);
    });
  });

  it('an alert has the top sources and pages of the day, and a link', async () => {
    await create({ rule: 'spike', threshold: 1 });
    await addHits(checks.now, 2, { source: null, page: '/a' });
    await addHits(checks.now, 1, { source: 'Ünïcode', page: '/b' });

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
        pageUrl: `https://stats.example/statistics/${checks.key.websiteId}`,
      },
    ]);
  });

  describe('an alert that is changed', () => {
    it('fires again only if its condition is a new one', async () => {
      const { id } = await create({ rule: 'spike', threshold: 1 });
      await addHits(checks.now, 3);
      expect(await checkAfter(0)).toHaveLength(1);

      await update(id, { email: false });
      expect(await checkAfter(1)).toEqual([]);
      await update(id, { threshold: 2 });
      expect(await checkAfter(1)).toHaveLength(1);
    });

    it('fires at most twice a day nevertheless', async () => {
      const { id } = await create({ rule: 'spike', threshold: 1 });
      await addHits(checks.now, 3);
      expect(await checkAfter(0)).toHaveLength(1);
      await update(id, { threshold: 2 });
      expect(await checkAfter(1)).toHaveLength(1);

      await update(id, { threshold: 3 });
      expect(await checkAfter(1)).toEqual([]);
    });

    it('still counts the dropped hits from before', async () => {
      const { id } = await create({ rule: 'dropped', percent: 90 });
      await addHits(checks.now, 50);
      await drop(60);
      expect(await checkAfter(1)).toEqual([]);

      await update(id, { percent: 50 });
      expect(await checkAfter(1)).toMatchObject([{ number: 54.5 }]);
    });
  });

  it('a process that dies during a check loses no alert, and fires none twice', async () => {
    await create({ rule: 'spike', threshold: 1 });
    await addHits(checks.now, 1);
    const killed = { ...deps(), alerts: { ...checks.ports.alerts, record: () => Promise.reject(new Error('killed')) } };

    await expect(checkDueAlerts(killed)).rejects.toThrow('killed');
    expect(await checkAfter(1)).toHaveLength(1);
    await Promise.all([checkDueAlerts(deps()), checkDueAlerts(deps())]);
    expect(await checks.ports.tasks.records('alert', checks.key.websiteId)).toHaveLength(1);
  });
}
