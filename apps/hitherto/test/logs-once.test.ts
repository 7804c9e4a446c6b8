import { appendFileSync, copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { zipOf } from '@hitherto/testing/zip';
import { beforeEach, describe, expect, test } from 'vitest';
import { ID, useLogs } from './support/logs.ts';

// imports.md, "Access logs": visits count once, whatever the files are named and wherever else hits are from.

const { file, pathOf, run, withDatabase } = useLogs();

/** A line of a common log. */
const line = (second: number, day = 20) =>
  `198.51.100.7 - - [${day}/Nov/2026:10:00:${String(second).padStart(2, '0')} +0000] "GET /é HTTP/1.1" 200 1\n`;

const pageviews = () =>
  withDatabase(async ({ statistics }) => {
    const query = { websiteId: ID, from: '2026-11-01', to: '2026-11-20', filters: [] };
    return (await statistics.totals(query)).pageviews;
  });

/** Runs `logs follow` until `stop` is called. */
function follow(path: string, ...args: readonly string[]) {
  let stop = () => {};
  const ended = run(['logs', 'follow', path, '--website', ID, ...args], {
    stopped: () => new Promise((resolve) => (stop = resolve)),
  });
  return { stop: () => stop(), ended };
}

const reaches = (count: number) => expect.poll(pageviews, { timeout: 15_000, interval: 200 }).toBe(count);

test('logs import counts nothing twice of files that Caddy has renamed and compressed', async () => {
  const read = (...paths: readonly string[]) => run(['logs', 'import', ...paths, '--website', ID]);
  const path = file('access.log', line(0) + line(1));
  await read(path);
  appendFileSync(path, line(2));
  const first = file('access-2026-11-20T10-00-03.000-size.log.gz', gzipSync(readFileSync(path)));
  writeFileSync(path, line(3));
  await read(path, first);
  const second = pathOf('access-2026-11-20T10-00-04.000.log');
  renameSync(path, second);
  writeFileSync(path, line(4));

  await read(first, path, second);

  expect(await pageviews()).toBe(5);
});

test('logs follow reads the last lines of a file that Caddy has renamed', async () => {
  const path = file('access.log', line(0));
  const { stop, ended } = follow(path);

  await reaches(1);
  appendFileSync(path, line(1));
  renameSync(path, pathOf('access-2026-11-20T10-00-02.000.log'));
  writeFileSync(path, line(2));
  await reaches(3);
  stop();

  expect((await ended).code).toBe(0);
});

test('an uploaded log counts its last line once, also when that has got an end and the log has grown', async () => {
  const upload = (name: string, content: string | Buffer) =>
    run(['statistics', 'import', file(name, content), '--website', ID]);
  const text = line(0) + line(1);

  const first = await upload('access.log', text.trimEnd());
  const second = await upload('logs.zip', zipOf({ name: 'access.log', content: text + line(2) }));

  expect([first.code, second.code]).toEqual([0, 0]);
  expect(await pageviews()).toBe(3);
});

describe('a log counts once', () => {
  /** Lines that identify a log. */
  const kilobyte = () => Array.from({ length: 20 }, (_, second) => line(second)).join('');
  const ways = {
    'by logs import': (path: string) => run(['logs', 'import', path, '--website', ID]),
    'by logs import, under another name': (path: string) =>
      run(['logs', 'import', path, '--website', ID, '--log', 'é']),
    'as an upload': (path: string) => run(['statistics', 'import', path, '--website', ID]),
  };

  test.each([
    ['by logs import', 'as an upload'],
    ['as an upload', 'by logs import'],
    ['by logs import', 'by logs import, under another name'],
  ] as const)('that is read %s, and grown, %s, and again', async (first, second) => {
    const path = file('access.log', line(0) + line(1));
    const results = [await ways[first](path)];
    results.push(await ways[second](path));
    appendFileSync(path, line(2));
    results.push(await ways[second](path));
    appendFileSync(path, line(3));
    results.push(await ways[first](path));

    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await pageviews()).toBe(4);
  });

  test('that is renamed', async () => {
    const path = file('access.log', line(0) + line(1));
    await ways['by logs import'](path);
    renameSync(path, pathOf('old.log'));
    appendFileSync(pathOf('old.log'), line(2));

    const { stderr } = await ways['by logs import'](pathOf('old.log'));

    expect(stderr).toMatch(/^Read 1 new line: 1 is a pageview\.$/m);
    expect(await pageviews()).toBe(3);
  });

  test('that is uploaded, and then followed', async () => {
    const path = file('access.log', line(0) + line(1));
    await ways['as an upload'](path);
    appendFileSync(path, line(2));
    const { stop, ended } = follow(path);
    await reaches(3);
    appendFileSync(path, line(3));
    await reaches(4);
    stop();

    expect((await ended).code).toBe(0);
  });

  test('that lies in two folders', async () => {
    mkdirSync(pathOf('copy'));
    const path = file('access.log', kilobyte());
    copyFileSync(path, pathOf('copy/access.log'));
    appendFileSync(path, line(30));

    for (const _ of [1, 2]) await run(['logs', 'import', path, pathOf('copy/access.log'), '--website', ID]);

    expect(await pageviews()).toBe(21);
  });

  test('after a shorter copy of it was read', async () => {
    const path = file('access.log', kilobyte() + line(30) + line(31));
    await ways['as an upload'](path);
    await ways['by logs import'](file('copy.log', kilobyte() + line(30)));

    await ways['by logs import'](path);

    expect(await pageviews()).toBe(22);
  });

  test('together with another one that has the same header', async () => {
    const header = '#Version: 1.0\n#Fields: date time cs-method cs-uri-stem sc-status\n';
    const entry = (second: number) => `2026-11-20\t10:00:0${second}\tGET\t/é\t200\n`;
    await ways['as an upload'](file('E1.2026-11-20-10.aé', header + entry(5)));

    await ways['as an upload'](file('E1.2026-11-20-10.b', header + entry(1)));
    await ways['by logs import'](pathOf('E1.2026-11-20-10.aé'));

    expect(await pageviews()).toBe(2);
  });
});

describe('on a day that another import covers, logs follow', () => {
  beforeEach(async () => {
    const hit = { time: '2026-11-19T09:00:00Z', visitor: '1', host: 'example.com', page: '/', channel: 'Direct' };
    const path = file('hits.jsonl', `${JSON.stringify({ ...hit, device: 'desktop' })}\n`);
    await run(['statistics', 'import', path, '--website', ID]);
  });

  test('counts nothing, and says so', async () => {
    const { stop, ended } = follow(file('access.log', line(0, 19) + line(1, 19) + line(2)));

    await reaches(2);
    stop();

    expect((await ended).stderr).toMatch(
      /^Lines of days that import [\da-f-]{36} covers do not count without --also\.\nRead 3 new lines: 1 is a pageview\.\nLeft out:\n {2}2 lines of days that an import covers \(imported\)\n$/,
    );
  });

  test('counts all with --also', async () => {
    const { stop, ended } = follow(file('access.log', line(0, 19) + line(1)), '--also');

    await reaches(3);
    stop();

    expect((await ended).code).toBe(0);
  });
});

describe('hits of a tracker', () => {
  const collect = (day: string) =>
    withDatabase(({ hits }) => hits.add([aCountedHit({ websiteId: ID, time: new Date(`${day}T10:00:00Z`) })]));
  const read = (name: string, content: string, ...args: readonly string[]) =>
    run(['logs', 'import', file(name, content), '--website', ID, ...args]);
  const rejected = { code: 1, stderr: expect.stringMatching(/collected hits since 2026-11-19.*--also/) };

  async function followTo(count: number, path: string) {
    const { stop, ended } = follow(path);
    await reaches(count);
    stop();
    expect((await ended).code).toBe(0);
  }

  test('that came after an import of logs are noticed', async () => {
    await read('access.log', line(0, 18));
    await collect('2026-11-19');
    const text = line(0, 18) + line(0, 19);

    expect(await read('access.log', text)).toMatchObject(rejected);
    expect(await read('access.log', text, '--also')).toMatchObject({ code: 0 });
    expect(await pageviews()).toBe(3);
  });

  test('that came after a log was followed are noticed', async () => {
    const path = file('access.log', line(0, 18));
    await followTo(1, path);
    await collect('2026-11-19');

    expect(await follow(path).ended).toMatchObject(rejected);
    expect(await read('other.log', line(0))).toMatchObject(rejected);
  });

  test('are told apart from those of logs that are followed or imported', async () => {
    const path = file('access.log', line(0, 18) + line(1, 19));
    await followTo(2, path);
    await read('other.log', line(2));
    appendFileSync(path, line(3));

    await followTo(4, path);

    expect(await read('other.log', line(2) + line(4))).toMatchObject({ code: 0 });
    expect(await pageviews()).toBe(5);
  });
});
