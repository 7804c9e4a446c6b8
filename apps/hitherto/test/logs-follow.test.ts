import { appendFileSync, copyFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { unavailable } from '@hitherto/domain/base';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Context } from '../src/cli/context.ts';
import { openDatabase } from './support/commands.ts';
import { ID, line, useLogs } from './support/logs.ts';

// imports.md, "Access logs": `logs follow`.

const { pathOf, file, run, numbersOf, withDatabase } = useLogs();

function follow(paths: string | readonly string[], overrides: Partial<Context> = {}, args: readonly string[] = []) {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const ended = run(['logs', 'follow', ...[paths].flat(), '--website', ID, ...args], {
    stopped: () => stopped,
    ...overrides,
  });
  return { ended, stop };
}

const reaches = (pageviews: number) =>
  expect.poll(async () => (await numbersOf()).pageviews, { timeout: 15_000, interval: 200 }).toBe(pageviews);

describe('logs follow', () => {
  test('waits for a file that is not there yet, and says so', async () => {
    const path = pathOf('later.log');
    const told: string[] = [];
    const { ended, stop } = follow(path, { tell: (text) => told.push(text) });
    await expect.poll(() => told).toEqual([`There is no file ${path} yet: it is read once it is there.\n`]);

    file('later.log', line());
    await reaches(1);
    stop();

    expect((await ended).code).toBe(0);
  });

  test('goes on through appending, renaming, truncating and its own end', async () => {
    const path = file('access.log', line());
    const first = follow(path);
    await reaches(1);
    appendFileSync(path, line({ second: 1 }));
    await reaches(2);
    appendFileSync(path, line({ second: 2 }));
    renameSync(path, `${path}.1`);
    writeFileSync(path, line({ second: 3 }));
    await reaches(4);
    first.stop();
    expect((await first.ended).code).toBe(0);

    appendFileSync(path, line({ second: 4 }));
    const second = follow(path);
    await reaches(5);
    copyFileSync(path, `${path}.2`);
    truncateSync(path);
    appendFileSync(path, line({ second: 5 }));
    await reaches(6);
    second.stop();

    expect(await second.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/new lines/) });
  });

  test('goes on with each of several logs of the same name, also when it starts again', async () => {
    for (const folder of ['a', 'é']) mkdirSync(pathOf(folder));
    const early = file('a/access.log', line());
    const late = file('é/access.log', line({ second: 9 }));
    const first = follow([early, late]);
    await reaches(2);
    appendFileSync(early, line({ second: 1 }));
    await reaches(3);
    appendFileSync(late, line({ second: 10 }));
    await reaches(4);
    first.stop();
    await first.ended;

    appendFileSync(early, line({ second: 2 }));
    const second = follow([early, late]);
    await reaches(5);
    second.stop();

    expect(await second.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Read 1 new line: 1 is /) });
  });

  test('leaves out lines that are older than the stored hits, or more than 5 minutes ahead', async () => {
    const [kept, tooOld, ahead, future] = [
      '16/Oct/2025:10:00',
      '15/Oct/2025:10:00',
      '20/Nov/2026:12:05',
      '20/Nov/2026:12:06',
    ];
    const path = file(
      'access.log',
      [tooOld, kept, ahead, future].map((minute) => line().replace('20/Nov/2026:10:00', minute)).join(''),
    );
    const { ended, stop } = follow(path, {}, ['--json']);
    await reaches(1);
    stop();

    expect(JSON.parse((await ended).stdout)).toMatchObject({
      hits: 2,
      skipped: [
        { reason: 'too_old', lines: 1 },
        { reason: 'future', lines: 1 },
      ],
    });
  });

  test('leaves out lines of days whose hits are deleted, also when the retention is longer now', async () => {
    await withDatabase(async ({ maintenance }) => {
      while (await maintenance.deleteHitsBefore('2026-11-20'));
    });
    const path = file('access.log', line().replace('20/Nov', '19/Nov') + line());
    const { ended, stop } = follow(path, {}, ['--json']);
    await reaches(1);
    stop();

    expect(JSON.parse((await ended).stdout)).toMatchObject({ hits: 1, skipped: [{ reason: 'too_old', lines: 1 }] });
  });

  test('reads lines while the engine of statistics is away', async () => {
    const path = file('access.log', line());
    const { ended, stop } = follow(path, {
      openDatabase: async (...args) => {
        const database = await openDatabase(...args);
        const keptFrom = () => Promise.reject(unavailable('The engine is away.'));
        return { ...database, maintenance: { ...database.maintenance, keptFrom } };
      },
    });
    await reaches(1);
    stop();

    expect((await ended).code).toBe(0);
  });

  test('forgets the salt of a day once its day has been over everywhere for 48 hours', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let time = new Date('2026-11-20T12:00:00Z');
    let asked = 0;
    const now = () => {
      asked += 1;
      return time;
    };
    const path = file('access.log', line());
    const { ended, stop } = follow(path, { now });
    await reaches(1);

    time = new Date('2026-11-23T12:00:00Z');
    await withDatabase(({ salts }) => salts.deleteBefore('2026-11-21'));
    asked = 0;
    vi.advanceTimersByTime(10_001);
    await expect.poll(() => asked).toBeGreaterThan(0);
    // Only a clock that is set back needs the salt again.
    time = new Date('2026-11-20T12:00:00Z');
    appendFileSync(path, line({ second: 1 }));
    await reaches(2);
    stop();
    await ended;

    expect((await numbersOf()).visitors).toBe(2);
  });
});
