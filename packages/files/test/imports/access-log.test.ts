import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { zipOf } from '@hitherto/testing/zip';
import { describe, expect, it } from 'vitest';
import { CLOUDFRONT_HEADER, SAMPLES } from '../logs/samples.ts';
import { openFiles } from '../open-files.ts';
import { importFolder, openImport } from './support.ts';

const { write } = importFolder();

describe('an access log', () => {
  const LINE = '198.51.100.7 - - [20/Nov/2026:10:00:00 +0000] "GET /é HTTP/1.1" 200 1';

  async function openLogAt(path: string, format: 'auto' | 'access-log' = 'auto') {
    const source = await openImport(path, { format });
    if (!('open' in source)) throw new Error('The file is not a log.');
    return source;
  }

  const openLog = async (content: string | Buffer, format?: 'auto' | 'access-log') =>
    openLogAt(await write(content), format);

  async function linesOf(content: string | Buffer, format?: 'auto' | 'access-log') {
    const log = await (await openLog(content, format)).open();
    const lines = [];
    for (const file of log.files) for await (const some of file.lines(0)) lines.push(...some.map(({ text }) => text));
    const share = log.files.map((file) => file.share());
    await log.close();
    return { lines, share };
  }

  const zipped = (content: string) =>
    zipOf({ name: 'logs/', content: '' }, { name: 'logs/readme', content: 'é' }, { name: 'logs/access.log', content });

  describe.each([
    ['plain', (text: string) => text],
    ['compressed by gzip', (text: string) => gzipSync(text)],
    ['in a ZIP', zipped],
  ])('that is %s', (_, packed) => {
    it.each(['auto', 'access-log'] as const)('has all lines, found as %s', async (format) => {
      const text = `${LINE}\n`.repeat(20_000);

      expect(await linesOf(packed(text), format)).toStrictEqual({ lines: Array(20_000).fill(LINE), share: [1] });
    });

    it('needs no end of its last line, nor of its only one', async () => {
      expect(await linesOf(packed(`${LINE}\r\n${LINE}`))).toMatchObject({ lines: [LINE, LINE] });
      expect(await linesOf(packed(LINE))).toMatchObject({ lines: [LINE] });
    });
  });

  it('goes on behind a last line without an end once that has one', async () => {
    const shorter = await openLog(LINE);
    const longer = await openLog(zipped(`${LINE} more\n${LINE} next\n`));
    const log = await longer.open();
    const lines = [];
    for await (const some of log.files[0]?.lines(Buffer.byteLength(LINE)) ?? []) lines.push(...some);
    await log.close();

    expect(lines.map(({ text }) => text)).toStrictEqual([`${LINE} next`]);
    expect((await openLog(`${LINE}\n${LINE} next\n`)).name).toBe(shorter.name);
  });

  it('is another one if only its header is the same, also compressed', async () => {
    const line = SAMPLES.cloudfront ?? '';
    const later = line.replace('11:59:30', '11:59:31');
    const fileOf = (...lines: readonly string[]) => [...CLOUDFRONT_HEADER, ...lines, ''].join('\n');

    const { name } = await openLog(fileOf(line));

    expect((await openLog(gzipSync(fileOf(line, later)))).name).toBe(name);
    expect((await openLog(fileOf(later))).name).not.toBe(name);
    expect((await openLog(gzipSync(fileOf(later)))).name).not.toBe(name);
  });

  it.each([
    ['of the zone where they have no offset', LINE.replace(' +0000', ''), '2026-11-20T09:00:00.000Z'],
    [
      'of the zone in JSON too',
      JSON.stringify({ ts: '2026/11/20 10:00:00', status: 200, request: { method: 'GET', uri: '/é' } }),
      '2026-11-20T09:00:00.000Z',
    ],
    ['of their offset', LINE.replace('+0000', '-0500'), '2026-11-20T15:00:00.000Z'],
    ['of UTC where CloudFront writes them', SAMPLES.cloudfront ?? '', '2026-11-20T11:59:30.000Z'],
    [
      'of UTC in JSON of CloudFront',
      JSON.stringify({
        date: '2026-11-20',
        time: '11:59:30',
        'cs-method': 'GET',
        'cs-uri-stem': '/é',
        'sc-status': '200',
      }),
      '2026-11-20T11:59:30.000Z',
    ],
  ])('has times %s', async (_, line, time) => {
    const source = await openImport(await write(`${line}\n`), { zone: 'Europe/Berlin' });
    if (!('open' in source)) throw new Error('The file is no log.');

    const log = await source.open();
    const reads = [];
    for await (const lines of log.files[0]?.lines(0) ?? []) reads.push(...lines.map(({ read }) => read));
    await log.close();

    expect(reads).toMatchObject([{ time: new Date(time) }]);
  });

  it('is rejected in a ZIP with another one', async () => {
    const zip = zipOf({ name: 'a.log', content: `${LINE}\n` }, { name: 'b.log', content: `${LINE}\n` });

    await expect(openLog(zip)).rejects.toMatchObject({
      code: 'invalid_file',
      message: 'The ZIP has several access logs, such as a.log and b.log. Import each of them.',
    });
  });

  it.skipIf(process.platform !== 'linux')('leaves no file open', async () => {
    const hash = (n: number) => createHash('sha256').update(`${n}`).digest('hex');
    const zip = zipped(Array.from({ length: 20_000 }, (_, n) => `${LINE} ${hash(n)}\n`).join(''));
    const path = await write(zip);
    const source = await openLogAt(path);
    await (await source.open()).close();

    await expect.poll(openFiles).not.toContain(path);
  });
});
