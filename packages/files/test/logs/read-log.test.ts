import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { logFiles, logNameOf, openLog } from '../../src/logs/index.ts';
import { openFiles } from '../open-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'hitherto-logs-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function linesOf(path: string, from = 0) {
  const log = await openLog(path);
  const lines = [];
  try {
    for await (const some of log.lines(from)) lines.push(...some);
  } finally {
    await log.close();
  }
  return { lines, log };
}

describe('a log', () => {
  test('has its lines with the offsets behind them, in bytes', async () => {
    const { lines, log } = await linesOf(file('a.log', 'é\n\r\nb🦊\r\n'));

    expect(lines).toEqual([
      { text: 'é', end: 3 },
      { text: '', end: 5 },
      { text: 'b🦊', end: 12 },
    ]);
    expect([log.size, log.beginning.length, log.share()]).toEqual([12, 12, 1]);
  });

  test('is read from an offset on, compressed or not', async () => {
    const expected = [
      { text: 'b', end: 4 },
      { text: 'é', end: 7 },
    ];

    expect((await linesOf(file('from.log', 'a\nb\né\n'), 2)).lines).toEqual(expected);
    expect((await linesOf(file('from.gz', gzipSync('a\nb\né\n')), 2)).lines).toEqual(expected);
  });

  test.skipIf(process.platform !== 'linux')('that cannot be read is not left open', async () => {
    const damaged = file('damaged.gz', Buffer.from([0x1f, 0x8b, ...Array<number>(20).fill(1)]));

    await expect(openLog(folder)).rejects.toThrow('EISDIR');
    await expect(openLog(damaged)).rejects.toThrow();

    expect(openFiles()).not.toContain(damaged);
    expect(openFiles()).not.toContain(folder);
  });

  test('stays the same file when it is renamed while it is read', async () => {
    const path = file('renamed.log', 'a\n');
    const log = await openLog(path);
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'other\n');

    const lines = [];
    for await (const some of log.lines(0)) lines.push(...some);
    await log.close();

    expect(lines).toEqual([{ text: 'a', end: 2 }]);
  });

  test('ends before a line that is still being written', async () => {
    const path = file('partial.log', 'a\nb');

    expect((await linesOf(path)).lines).toEqual([{ text: 'a', end: 2 }]);
    appendFileSync(path, 'c\n');
    expect((await linesOf(path)).lines).toEqual([
      { text: 'a', end: 2 },
      { text: 'bc', end: 5 },
    ]);
  });

  test('is the same once it is compressed', async () => {
    const text = 'a\n'.repeat(100_000);
    const plain = await linesOf(file('plain.log', text));
    const compressed = await linesOf(file('compressed.log.1.gz', gzipSync(text)));

    expect(compressed.lines).toEqual(plain.lines);
    expect(compressed.log.beginning).toEqual(plain.log.beginning);
    expect([compressed.log.size, compressed.log.share()]).toEqual([undefined, 1]);
  });

  test('that is compressed needs no end of its last line', async () => {
    expect((await linesOf(file('end.gz', gzipSync('a\nb')))).lines.at(-1)).toEqual({ text: 'b', end: 3 });
  });

  test('may be empty', async () => {
    expect((await linesOf(file('empty.log', ''))).lines).toEqual([]);
  });

  test('that is a damaged gzip file ends with an error that names it', async () => {
    const path = file('damaged.gz', gzipSync('a\n'.repeat(100_000)).subarray(0, 100));

    await expect(linesOf(path)).rejects.toThrow(
      expect.objectContaining({
        code: 'Z_BUF_ERROR',
        message: `${path} is incomplete or damaged: it cannot be unpacked.`,
      }),
    );
  });

  test('is not a pipe, which has no size and is not waited for', async () => {
    const path = join(folder, 'pipe.log');
    execFileSync('mkfifo', [path]);

    await expect(openLog(path)).rejects.toThrow(`${path} is a pipe: a log must be a file.`);
  });

  test('has long lines cut, and the next ones whole', async () => {
    const { lines } = await linesOf(file('long.log', `${'x'.repeat(300_000)}\nb\n`));

    expect(lines.map(({ text, end }) => [text.length, end])).toEqual([
      [65_536, 300_001],
      [1, 300_003],
    ]);
  });
});

test.each([
  ['/var/log/nginx/access.log', 'access.log'],
  ['access.log.1', 'access.log'],
  ['access.log.12.gz', 'access.log'],
  ['access.log-20261120', 'access.log'],
  ['access.log-20261120.gz', 'access.log'],
  ['access-2026-11-20.log', 'access-2026-11-20.log'],
  ['access.log.2026-11-20', 'access.log'],
  ['access.log-20261120-1300.gz', 'access.log'],
  ['access-2026-11-20T12-00-00.000.log', 'access.log'],
  ['access-2026-11-20T12-00-00.000.log.gz', 'access.log'],
  ['access-2026-11-20T12-00-00.000-size.log.gz', 'access.log'],
  ['access.log-2026-11-20T12-00-00.000-time.gz', 'access.log'],
  ['access-2026-11-20T12-00-00.000', 'access'],
  ['20261120', '20261120'],
  ['site.example.log', 'site.example.log'],
])('the file %s belongs to the log %s', (path, name) => {
  expect(logNameOf(path)).toBe(name);
});

describe('a log from elsewhere', () => {
  const texts = async (path: string) => (await linesOf(path)).lines.map(({ text }) => text);

  test('may have a byte order mark', async () => {
    expect((await linesOf(file('mark.log', '\u{feff}a\nb\n'))).lines).toEqual([
      { text: 'a', end: 5 },
      { text: 'b', end: 7 },
    ]);
    expect(await texts(file('mark.gz', gzipSync('\u{feff}a')))).toEqual(['a']);
  });

  test('may have lines that end with carriage returns', async () => {
    expect((await linesOf(file('mac.log', 'a\rb\r'))).lines).toEqual([
      { text: 'a', end: 2 },
      { text: 'b', end: 4 },
    ]);
  });

  test('may begin with NULs where it was truncated', async () => {
    const nuls = '\0'.repeat(1_000_000);

    expect((await linesOf(file('truncated.log', `${nuls}a\nb\n`))).lines).toEqual([
      { text: 'a', end: 1_000_002 },
      { text: 'b', end: 1_000_004 },
    ]);
  });

  test('says whether its last line has an end', async () => {
    expect((await linesOf(file('open.log', 'a\nb'))).log.isUnfinished()).toBe(true);
    expect((await linesOf(file('ended.log', 'a\nb\n'))).log.isUnfinished()).toBe(false);
    expect((await linesOf(file('packed.gz', gzipSync('a\nb')))).log.isUnfinished()).toBe(false);
  });

  test.each([
    ['bzip2', Buffer.from('BZh91AY&SY'), 'is compressed by bzip2. Unpack it first, or compress it with gzip.'],
    ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), 'is compressed by xz.'],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1]), 'is compressed by zstd.'],
    ['a ZIP', Buffer.from('PK\u0003\u0004'), 'is a ZIP. Unpack it first.'],
    ['UTF-16', Buffer.from('\u{feff}a\n', 'utf16le'), 'is UTF-16. Convert it to UTF-8 first.'],
  ])('is rejected with its kind: %s', async (_, content, reason) => {
    const path = file('other', content);

    await expect(openLog(path)).rejects.toThrow(`${path} ${reason}`);
  });
});

describe('logs that are read together', () => {
  test('of nothing but a line without an end have no lines yet', async () => {
    const opened = await logFiles.open([file('alone.log', '198.51.100.7 - - [')], undefined);
    const lines = [];
    for await (const some of opened?.files[0]?.lines(0) ?? []) lines.push(...some);
    await opened?.close();

    expect(lines).toEqual([]);
    expect(opened?.files[0]?.isUnfinished()).toBe(true);
  });

  test('have the columns of their header also from a later line on', async () => {
    const header = '#Fields: date time c-ip cs-method cs-uri-stem sc-status\n';
    const line = '2026-11-20 10:00:00 198.51.100.7 GET /a 200';
    const opened = await logFiles.open([file('iis.log', `${header}${line}\n${line}\n`)], undefined);

    const requests = [];
    for await (const some of opened?.files[0]?.lines(header.length + line.length + 1) ?? []) {
      requests.push(...some.map(({ read }) => read));
    }
    await opened?.close();

    expect(requests).toMatchObject([{ ip: '198.51.100.7', target: '/a' }]);
  });

  test.each([
    ['no hosts', '198.51.100.7', false],
    ['hosts', 'example.com 198.51.100.7', true],
  ])('tell whether they have %s', async (_, fields, hasHosts) => {
    const line = `${fields} - - [20/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 4\n`;
    const opened = await logFiles.open([file('hosts.log', line)], undefined);
    await opened?.close();

    expect(opened?.hasHosts).toBe(hasHosts);
  });
});
