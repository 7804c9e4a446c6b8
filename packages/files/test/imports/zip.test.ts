import { randomUUID } from 'node:crypto';
import { open, readdir, readlink } from 'node:fs/promises';
import { zipOf } from '@hitherto/testing/zip';
import { describe, expect, it } from 'vitest';
import { importFolder, openImport, UMAMI } from './support.ts';

const { write, read } = importFolder();

describe('places in a ZIP', () => {
  it('name the entry', async () => {
    const visits = JSON.stringify([{ actionDetails: [{ type: 'action', url: 'https://example.com/', timestamp: 1 }] }]);
    const matomo = await read(zipOf({ name: 'a/visits.json', content: visits }));
    const csv = await read(
      zipOf({
        name: 'a/visits.csv',
        content: 'idVisit,visitIp,actionDetails_0_type,actionDetails_0_url\n1,,action,https://example.com/\n',
      }),
    );
    const hitherto = await read(zipOf({ name: 'a/hits.jsonl', content: '{"format":"hitherto","version":1}\n{}\n' }));

    expect([matomo, csv, hitherto].map(({ rows }) => rows[0]?.place)).toStrictEqual([
      'visits.json, visit 1, action 1',
      'visits.csv, line 2, action 1',
      'hits.jsonl, line 2',
    ]);
  });

  it.each([
    ['of a header', '{"format":"hitherto","version":2}\n', 'hits.jsonl, line 1: The version'],
    [
      'of a line that is too long',
      `{"format":"hitherto","version":1}\n${'x'.repeat(2 << 20)}`,
      'hits.jsonl, line 2, is longer',
    ],
  ])('name the entry %s', async (_, content, words) => {
    await expect(read(zipOf({ name: 'a/hits.jsonl', content }))).rejects.toThrow(words);
  });
});

describe('a ZIP', () => {
  /** A ZIP of at least so many bytes, with entries that each claim 4 GiB. */
  async function zipOfSize(bytes: number, entries: number): Promise<string> {
    const content = 'date,visitors\n';
    const claimed = Array.from({ length: entries }, (_, n) => ({ name: `${n}.csv`, content, size: 2 ** 32 - 2 }));
    const zip = zipOf(...claimed);
    // The directory, whose place is in the last bytes, comes behind a hole.
    const directory = zip.subarray(zip.readUInt32LE(zip.length - 6));
    directory.writeUInt32LE(bytes, directory.length - 6);
    const path = await write('');
    const file = await open(path, 'w');
    await file.write(zip.subarray(0, -directory.length));
    await file.write(directory, 0, undefined, bytes);
    await file.close();
    return path;
  }

  it.each([
    ['over 100 times its size', 2 ** 27, 4, 'unpacks to more than 12 GiB'],
    ['over 20 GiB, whatever its size', 2 ** 29, 6, 'unpacks to more than 20 GiB'],
    ['less than these, so that its entries are read', 2 ** 29, 4, 'The entry 0.csv of the ZIP cannot be read'],
  ])('that would unpack to %s', async (_, bytes, entries, words) => {
    const path = await zipOfSize(bytes, entries);

    await expect(openImport(path)).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining(words),
    });
  });

  describe.skipIf(process.platform !== 'linux')('is closed', () => {
    /** So many events that not all are read at once. */
    const events = `${UMAMI}${Array.from({ length: 30_000 }, () => `w,${randomUUID()},v,e,,,,,,,,,,/a,,,,,,1,,2025-03-01\n`).join('')}`;
    const zipWith = (content: string) =>
      zipOf({ name: 'other.csv', content: `a,b\n${events}` }, { name: 'website_event.csv', content });

    async function readPieces(path: string, pieces = Number.POSITIVE_INFINITY): Promise<void> {
      const source = await openImport(path);
      if (!('rows' in source)) throw new Error('The file has no rows of hits.');
      let count = 0;
      for await (const _ of source.rows()) {
        count += 1;
        if (count === pieces) break;
      }
    }

    /** How many descriptors of a file this process has. */
    async function descriptorsOf(path: string): Promise<number> {
      const descriptors = await readdir('/proc/self/fd');
      const files = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
      return files.filter((file) => file === path).length;
    }

    it.each<[string, string, (path: string) => Promise<unknown>]>([
      ['once it has been read', events, readPieces],
      ['where reading ends midway', events, (path) => readPieces(path, 1)],
      ['where nothing is read, because it is imported already', events, openImport],
      [
        'where it is damaged',
        `${events}w,"s1`,
        (path) => expect(readPieces(path)).rejects.toThrow('a quote is never closed'),
      ],
      [
        'where its format is unknown',
        `c,d\n${events}`,
        (path) => expect(openImport(path)).rejects.toThrow('Unknown file format'),
      ],
    ])('%s', async (_, content, use) => {
      const path = await write(zipWith(content));

      await use(path);

      await expect.poll(() => descriptorsOf(path)).toBe(0);
    });
  });
});
