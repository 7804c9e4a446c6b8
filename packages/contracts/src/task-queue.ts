import { UNRECORDED } from '@hitherto/domain/changes';
import type { ClaimedTask } from '@hitherto/domain/tasks';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { dueReports } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import { addReader, addReported, after, claim, claimAll, DUE, END, MONDAY, WEEK } from './support/reported.ts';
import { HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

const LEASE = after(10);

/** The contract of `TaskQueue`, over tasks of the kind `report`. */
export function taskQueueContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addReader(repositories);
  });

  /** Adds a website with a task that is due at a time. */
  const addTask = async (dueAt = MONDAY): Promise<string> => {
    const { id } = await addReported(repositories, accountId);
    expect(await repositories.outbox.record(DUE, dueAt)).toBe(1);
    return id;
  };
  const claimed = async (now = MONDAY): Promise<ClaimedTask> => {
    const task = await claim(repositories, now);
    if (task === undefined) throw new Error('Nothing is due.');
    return task;
  };
  const recordsOf = (id: string) => repositories.tasks.records('report', id);

  describe('claim', () => {
    it('gives each task to one of many concurrent callers', async () => {
      const ids: string[] = [];
      for (let count = 0; count < 20; count += 1) ids.push(await addTask());

      const tasks = fulfilled(await atOnce(60, () => claim(repositories))).flatMap((task) => task ?? []);

      expect(tasks.map(({ websiteId }) => websiteId).toSorted()).toEqual(ids.toSorted());
    });

    it('gives a task that is due, the one due longest first', async () => {
      const ids = [await addTask(after(2)), await addTask(after(1)), await addTask(after(4))];

      expect(await claim(repositories, MONDAY)).toBeUndefined();
      expect((await claimAll(repositories, after(3))).map(({ websiteId }) => websiteId)).toEqual([ids[1], ids[0]]);
    });

    it('gives a task again only when its lease has ended', async () => {
      const websiteId = await addTask();
      const first = await claimed();

      expect(first).toStrictEqual({
        kind: 'report',
        websiteId,
        key: WEEK,
        payload: undefined,
        token: undefined,
        failures: 0,
        failure: undefined,
        leasedUntil: LEASE,
      });
      expect(await claim(repositories, after(9))).toBeUndefined();
      expect(await claim(repositories, LEASE)).toStrictEqual({ ...first, leasedUntil: after(20) });
    });

    it('gives nothing of websites and accounts that are deleted', async () => {
      await repositories.websites.delete(accountId, await addTask(), undefined, UNRECORDED);
      const other = await addReader(repositories);
      await addReported(repositories, other);
      await repositories.outbox.record(DUE, MONDAY);
      await repositories.access.deleteAccount(other);

      expect(await claim(repositories)).toBeUndefined();
    });
  });

  describe('a claimed task', () => {
    let id: string;
    let task: ClaimedTask;

    beforeEach(async () => {
      id = await addTask();
      task = await claimed();
    });

    it.each(['sent', 'skipped'] as const)('that is finished as %s is done for good', async (outcome) => {
      await repositories.tasks.fail(task, { detail: 'no', at: after(1) }, after(2));
      await repositories.tasks.finish(await claimed(after(2)), outcome);

      expect(await claim(repositories, after(60))).toBeUndefined();
      expect(await repositories.outbox.record(DUE, after(60))).toBe(0);
      expect(await recordsOf(id)).toStrictEqual([{ key: WEEK, state: outcome, failure: undefined }]);
    });

    it('counts as done even if another process has claimed it meanwhile, whose failure is ignored', async () => {
      const later = await claimed(LEASE);

      await repositories.tasks.finish(task, 'sent');
      await repositories.tasks.fail(later, { detail: 'late', at: after(11) }, undefined);
      await repositories.tasks.drop(later);
      await repositories.tasks.finish(later, 'skipped');

      expect(await claim(repositories, after(60))).toBeUndefined();
      expect(await recordsOf(id)).toStrictEqual([{ key: WEEK, state: 'sent', failure: undefined }]);
    });

    it('that failed is claimed again at the time of its retry', async () => {
      const failure = { detail: '450 é\0🦊', at: after(1) };

      await repositories.tasks.fail(task, failure, after(2));

      const stored = { detail: expect.stringMatching(/^450 é.🦊$/u), at: after(1) };
      expect(await recordsOf(id)).toStrictEqual([{ key: WEEK, state: 'waiting', failure: stored }]);
      expect(await claim(repositories, new Date(after(2).getTime() - 1))).toBeUndefined();
      expect(await claimed(after(2))).toMatchObject({ failures: 1, failure: stored });
    });

    it('that failed without a retry is given up, and its cause is kept', async () => {
      await repositories.tasks.fail(task, { detail: 'no', at: after(1) }, after(2));
      await repositories.tasks.fail(await claimed(after(2)), { detail: 'never', at: after(3) }, undefined);

      expect(await claim(repositories, after(60))).toBeUndefined();
      expect(await repositories.outbox.record(DUE, after(60))).toBe(0);
      expect(await recordsOf(id)).toStrictEqual([
        { key: WEEK, state: 'failed', failure: { detail: 'never', at: after(3) } },
      ]);
    });

    it('that is dropped can be recorded again', async () => {
      await repositories.tasks.drop(task);

      expect(await recordsOf(id)).toEqual([]);
      expect(await repositories.outbox.record(DUE, after(1))).toBe(1);
    });

    it('whose lease was lost neither fails nor is dropped', async () => {
      await claimed(LEASE);

      await repositories.tasks.fail(task, { detail: 'lost', at: after(11) }, undefined);
      await repositories.tasks.drop(task);

      expect(await recordsOf(id)).toStrictEqual([{ key: WEEK, state: 'waiting', failure: undefined }]);
      expect(await claimed(after(20))).toMatchObject({ failures: 0, failure: undefined });
    });
  });

  it('the records of a website are its tasks, the highest key first', async () => {
    const id = await addTask();
    await addTask();
    await repositories.outbox.record([dueReports('2026-W48')], MONDAY);
    await repositories.outbox.record([dueReports('2026-W09', { end: END })], MONDAY);

    expect((await recordsOf(id)).map(({ key }) => key)).toEqual(['2026-W48', WEEK, '2026-W09']);
    for (const text of [newId(), ...HOSTILE_STRINGS]) expect(await recordsOf(text)).toEqual([]);
  });

  it('old tasks are deleted by when they were due or claimed', async () => {
    const id = await addTask();
    await repositories.tasks.finish(await claimed(), 'sent');

    expect(await repositories.tasks.deleteBefore('report', LEASE)).toBe(0);
    expect(await repositories.tasks.deleteBefore('report', after(11))).toBe(1);
    expect(await repositories.tasks.deleteBefore('report', after(11))).toBe(0);
    expect(await recordsOf(id)).toEqual([]);
  });
}
