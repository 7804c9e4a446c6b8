import type { Job } from '@hitherto/domain/base';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runJobs } from '../src/jobs/run-jobs.ts';

/** Runs jobs until the test ends. */
function start(jobs: readonly Job[]) {
  const abort = new AbortController();
  const errors: unknown[] = [];
  const done = runJobs(jobs, (job, error) => errors.push([job, error]), abort.signal);
  onTestFinished(() => abort.abort());
  return { abort, errors, done };
}

describe('runJobs', () => {
  test('runs each job at once', async () => {
    const ran: string[] = [];
    const job = (name: string) => ({ name, every: 60_000, work: async () => ran.push(name) === 0 });

    const { abort, done } = start([job('a'), job('b')]);
    abort.abort();
    await done;

    expect(ran).toEqual(['a', 'b']);
  });

  test('runs a job again at once while work is left', async () => {
    let left = 3;
    const work = async () => {
      left -= 1;
      return left > 0;
    };

    const { abort, done } = start([{ name: 'a', every: 60_000, work }]);
    await vi.waitFor(() => expect(left).toBe(0));
    abort.abort();
    await done;

    expect(left).toBe(0);
  });

  test('reports a failure and runs the job again after the interval', async () => {
    let runs = 0;
    const failure = new Error('é');
    const work = async () => {
      runs += 1;
      if (runs === 1) throw failure;
      return false;
    };

    const { abort, errors, done } = start([{ name: 'a', every: 1, work }]);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(1));
    abort.abort();
    await done;

    expect(errors).toEqual([['a', failure]]);
  });

  test('reports only the first of several failures in a row, and again after a success', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
      if (runs !== 3) throw new Error(String(runs));
      return false;
    };

    const { abort, errors, done } = start([{ name: 'a', every: 1, work }]);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(4));
    abort.abort();
    await done;

    expect(errors).toEqual([
      ['a', new Error('1')],
      ['a', new Error('4')],
    ]);
  });

  test('waits for running work when it is aborted, and starts no more', async () => {
    let finish = (_more: boolean) => {};
    let runs = 0;
    const work = () => {
      runs += 1;
      return new Promise<boolean>((resolve) => {
        finish = resolve;
      });
    };
    let isDone = false;

    const { abort, done } = start([{ name: 'a', every: 1, work }]);
    abort.abort();
    const ended = done.then(() => {
      isDone = true;
    });
    await Promise.resolve();
    const before = isDone;
    finish(true);
    await ended;

    expect([before, runs]).toEqual([false, 1]);
  });
});
