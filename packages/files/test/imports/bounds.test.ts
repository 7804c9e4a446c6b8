import { Readable } from 'node:stream';
import { zipOf } from '@hitherto/testing/zip';
import { describe, expect, it } from 'vitest';
import { linesOfFile } from '../../src/imports/lines.ts';
import { importFolder } from './support.ts';

const { read } = importFolder();

/** More than any file here may take, on a machine that is busy with other work. */
const CPU_MS = 1_500;

const HEADER = 'session_id,url_path,event_type,created_at';
const ROW = 's,/a,1,2025-01-01 00:00:00';
const EVENT_HEADER = 'event_id,session_id,url_path,event_type,event_name,created_at';
const DATA_HEADER = 'event_id,data_key,data_type,string_value';

function umamiZip(data: string, rows = 'e,s,/a,2,n,2025-01-01 00:00:00\n'.repeat(200)): Buffer {
  return zipOf(
    { name: 'website_event.csv', content: `${EVENT_HEADER}\n${rows}` },
    { name: 'event_data.csv', content: `${DATA_HEADER}\n${data}` },
  );
}

/** The CPU time of this process, in milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('A file that would take long to read', () => {
  it.each<[string, () => string | Buffer, RegExp]>([
    [
      'with very many columns',
      () => `${HEADER}${','.repeat(1e6)}\n${'a\n'.repeat(4_000)}`,
      /^The file, line 1, has more than 1,000 columns\. Leave out /,
    ],
    [
      'with more columns than any export',
      () => `${HEADER}${','.repeat(1_000)}\n${ROW}\n`,
      /^The file, line 1, has more than 1,000 columns\. Leave out /,
    ],
    [
      'of Matomo, with more columns than actions of a visit need',
      () => `idVisit,visitIp${','.repeat(20_000)}\n1\n`,
      /^The file, line 1, has more than 20,000 columns\. Leave out /,
    ],
    [
      'with very much data of one event',
      () => umamiZip(`e,k0,1,${'x'.repeat(1_000)}\n`.repeat(4_150)),
      /^event_data\.csv has more than 64 KiB of data of the event "e"\. Correct /,
    ],
    [
      'whose JSON nests deep',
      () => `[{"actionDetails":[]},${'['.repeat(8e6)}${']'.repeat(8e6)}]`,
      /^The file: visit 2 has more than 64 levels of arrays and objects in each other\. Leave it out\.$/,
    ],
    [
      'with a very large visit',
      () => `[{"actionDetails":[],"a":"${'x'.repeat(2 ** 20)}"}]`,
      /^The file: visit 1 is larger than 1 MiB\. Leave it out\.$/,
    ],
  ])('%s is rejected at once', async (_, content, message) => {
    let reading: Promise<unknown> = Promise.resolve();

    const cpu = await cpuOf(async () => {
      reading = read(content());
      await reading.catch(() => {});
    });

    await expect(reading).rejects.toMatchObject({ code: 'invalid_file', message: expect.stringMatching(message) });
    expect(cpu).toBeLessThan(CPU_MS);
  });

  it.each<[string, () => string | Buffer, number]>([
    [
      'with rows much shorter than a wide header',
      () => `${HEADER}${',x'.repeat(990)}\n${'a\n'.repeat(50_000)}`,
      50_000,
    ],
    [
      'of Matomo, with rows much shorter than a wide header',
      () => {
        const columns = Array.from(
          { length: 9_000 },
          (_unused, at) => `actionDetails_${at}_type,actionDetails_${at}_url`,
        );
        return `idVisit,visitIp,${columns.join(',')}\n1${',action'.repeat(18_001)}\n${'1\n'.repeat(50_000)}`;
      },
      9_000,
    ],
    ['with a value of very many spaces', () => `${HEADER},browser\n${ROW},x${' '.repeat(1e6)}x\n`, 1],
    ['with very many quotes', () => `${HEADER},browser\n${ROW},"${'""'.repeat(5e5)}"\n`, 1],
    ['with very many spaces behind a quote', () => `${HEADER},browser\n${ROW},"x"${' '.repeat(1e6)}\n`, 1],
  ])('%s is read in time', async (_, content, rows) => {
    let found = 0;

    const cpu = await cpuOf(async () => {
      found = (await read(content())).rows.length;
    });

    expect(found).toBe(rows);
    expect(cpu).toBeLessThan(2 * CPU_MS);
  });

  it('with long lines that come in small pieces is read in time', async () => {
    const pieces = [...Array.from({ length: 1_000 }, () => Buffer.alloc(1_000, 'x')), Buffer.from('\n')];
    let found = 0;

    const cpu = await cpuOf(async () => {
      for await (const lines of linesOfFile(Readable.from(Array(10).fill(pieces).flat()), 'long'))
        found += lines.length;
    });

    expect(found).toBe(10);
    expect(cpu).toBeLessThan(CPU_MS);
  });

  it('whose event has much data that counts is read once', async () => {
    const data = Array.from({ length: 200 }, (_unused, at) => `e,k${at},1,${'x'.repeat(200)}\n`).join('');
    const rows = 'e,s,/a,2,n,2025-01-01 00:00:00\n'.repeat(4_000);
    let found: Awaited<ReturnType<typeof read>>['rows'] = [];

    const cpu = await cpuOf(async () => {
      found = (await read(umamiZip(data, rows))).rows;
    });

    expect(found).toHaveLength(4_000);
    expect(Object.keys(found.at(-1)?.hit?.props ?? {})).toHaveLength(10);
    expect(cpu).toBeLessThan(2 * CPU_MS);
  });

  it('has values that are cut before anything looks at them', async () => {
    const { rows } = await read(`${HEADER},browser\ns,/${'a'.repeat(1e5)},1,2025-01-01 00:00:00,Firefox\n`);

    expect(rows[0]?.hit?.url?.length).toBeLessThan(9_000);
    expect(rows[0]?.stated?.browser).toBe('Firefox');
  });

  it('names no more than the beginning of its values in an error', async () => {
    const long = 'é'.repeat(1e5);
    const error = await read(`${HEADER},${long}\n${ROW},a"b\n`).catch((thrown: Error) => thrown);

    expect(error).toMatchObject({ code: 'invalid_file', message: expect.stringContaining('a value has a quote') });
    expect('message' in error && error.message.length).toBeLessThan(1_001);
  });
});
