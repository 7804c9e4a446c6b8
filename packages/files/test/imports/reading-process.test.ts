import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportContent, ImportFileOptions, LogLine } from '@hitherto/domain/imports';
import { zipOf } from '@hitherto/testing/zip';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createImportFiles } from '../../src/imports/index.ts';
import { openFile } from '../../src/imports/open-file.ts';
import { UMAMI } from './support.ts';

// The process runs the last build of this package.

const OPTIONS: ImportFileOptions = { format: 'auto', url: 'https://example.com' };
const LOG = '1.2.3.4 - - [28/Nov/2025:10:00:00 +0000] "GET /é HTTP/1.1" 200 1 "-" "Firefox"\nno line\n# header\n';
const PLAUSIBLE = zipOf({
  name: 'imported_visitors.csv',
  content: 'date,visitors,pageviews,bounces,visits,visit_duration\n2025-01-01,1,2,0,1,10\n2025-01-02,1,x,0,1,10\n',
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hitherto-process-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function write(content: string | Buffer): Promise<string> {
  files += 1;
  const path = join(folder, `file-${files}`);
  await writeFile(path, content);
  return path;
}

const requestOf = (target: string, status = 200) =>
  LOG.slice(0, LOG.indexOf('\n')).replace('/é', target).replace('200', `${status}`);

async function linesOf(source: ImportContent, from = 0): Promise<LogLine[]> {
  if (!('open' in source)) throw new Error('The file is no log.');
  const log = await source.open();
  const found: LogLine[] = [];
  for (const file of log.files) for await (const lines of file.lines(from)) found.push(...lines);
  await log.close();
  return found;
}

async function contentOf(source: ImportContent): Promise<unknown> {
  const { share: _, ...described } = { share: undefined, ...source };
  const rows: unknown[] = [];
  if ('rows' in source) for await (const piece of source.rows()) rows.push(...piece);
  if ('sumRows' in source) for await (const piece of source.sumRows()) rows.push(...piece);
  if (!('open' in source)) return { format: described.format, rows, share: source.share() };
  const log = await source.open();
  for (const file of log.files) {
    rows.push(Buffer.from(file.beginning).toString(), file.size, file.path);
    for await (const lines of file.lines(0)) rows.push(...lines.map((line) => ({ ...line, text: '' })));
    rows.push(file.share());
  }
  await log.close();
  return { format: source.format, name: source.name, hasHosts: log.hasHosts, rows };
}

/** The processes that this one has started and that still run. */
async function childProcesses(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const isChild = status.includes(`PPid:\t${process.pid}\n`) && !status.includes('State:\tZ');
    if (isChild && command.includes('import-files')) found.push(pid);
  }
  return found;
}

describe('A process that reads a file', () => {
  it.each([
    ['hits', UMAMI],
    ['sums', PLAUSIBLE],
    ['lines', LOG],
  ])('has the same content as this one: %s', async (_, content) => {
    const path = await write(content);

    const found = await contentOf(await createImportFiles().open(path, OPTIONS));

    expect(found).toEqual(await contentOf(await openFile(path, OPTIONS)));
  });

  it('reads a log from an offset on', async () => {
    const offset = Buffer.byteLength(LOG.slice(0, LOG.indexOf('no line')));

    const lines = await linesOf(await createImportFiles().open(await write(LOG), OPTIONS), offset);

    expect(lines.map(({ end }) => end)).toEqual([offset + 8, offset + 17]);
  });

  it('leaves out the requests of a log that no website counts, and the texts of its lines', async () => {
    const targets = [requestOf('/a.css'), requestOf('/a', 302), requestOf('/a', 404), `${requestOf('/a')} extra`];
    const time = new Date('2025-11-28T10:00:00Z');

    const lines = await linesOf(await createImportFiles().open(await write(targets.join('\n')), OPTIONS));

    expect(lines.map(({ text }) => text)).toEqual(['', '', '', '']);
    expect(lines.map(({ read }) => read)).toEqual([
      { time, reason: 'static_file' },
      { time, reason: 'status' },
      expect.objectContaining({ time, target: '/a', status: 404 }),
      expect.objectContaining({ time, target: '/a', status: 200, ip: '1.2.3.4', userAgent: 'Firefox' }),
    ]);
  });

  it('says why a file is invalid', async () => {
    await expect(createImportFiles().open(await write('a,b\n'), OPTIONS)).rejects.toMatchObject({
      code: 'invalid_file',
      message: 'Unknown file format: the beginning of the file matches none of the supported formats.',
    });
    const source = await createImportFiles().open(await write(`${UMAMI}w,"s1`), OPTIONS);
    await expect(contentOf(source)).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining('line 6'),
    });
  });

  it('reads a file whose import has waited', async () => {
    const path = await write(UMAMI);
    const source = await createImportFiles().open(path, OPTIONS);

    await sleep(3_000);

    await expect.poll(childProcesses).toEqual([]);
    expect(await contentOf(source)).toStrictEqual(await contentOf(await openFile(path, OPTIONS)));
  });

  it('has ended when its file is read, when reading stops, and when it is not read', async () => {
    const [whole, part] = [await write(UMAMI), await write(UMAMI + 'w,s1\n'.repeat(50_000))];
    await contentOf(await createImportFiles().open(whole, OPTIONS));
    const source = await createImportFiles().open(part, OPTIONS);
    if (!('rows' in source)) throw new Error('The file has no rows.');
    for await (const _ of source.rows()) break;
    await createImportFiles().open(whole, OPTIONS);

    await expect.poll(childProcesses).toEqual([]);
  });

  it('that takes too much memory is ended, and the file is invalid', async () => {
    const data = Array.from({ length: 250_000 }, (_, at) => `event-${at},key,1,${at}\n`).join('');
    const zip = zipOf(
      { name: 'website_event.csv', content: UMAMI },
      { name: 'event_data.csv', content: `event_id,data_key,data_type,string_value\n${data}` },
    );
    const source = await createImportFiles({ memory: 24, silence: 60_000 }).open(await write(zip), OPTIONS);

    await expect(contentOf(source)).rejects.toMatchObject({
      code: 'invalid_file',
      message: 'Reading the file takes more than 24 MiB of memory. Import it in several parts.',
    });
  });

  it('that gets no further is ended, and the file is invalid', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);

    await expect(createImportFiles({ memory: 100, silence: 1_000 }).open(pipe, OPTIONS)).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringMatching(/^Reading the file took more than 1 seconds without reaching the next row\. /),
    });
    await expect.poll(childProcesses).toEqual([]);
  });
});
