import type { ImportFileOptions } from '@hitherto/domain/imports';
import { zipOf } from '@hitherto/testing/zip';
import { describe, expect, it } from 'vitest';
import { importFolder, UMAMI } from './support.ts';

const { read } = importFolder();

describe('a file', () => {
  it.each([
    ['of an unknown format', 'date,visitors\n2026-01-01,3\n', 'Unknown file format'],
    ['of another format than named', '{"a":1}', 'The file is not of the format "goatcounter": it begins differently.'],
    [
      'with the header of another format than named',
      UMAMI,
      'The file, line 1: The column "2Path" is missing, so it is not of the format "goatcounter".',
    ],
    ['with a quote that is never closed', `${UMAMI}w,"s1`, 'line 6'],
    ['that is an empty ZIP', zipOf(), 'Unknown file format'],
    ['that is a damaged ZIP', zipOf({ name: 'website_event.csv', content: UMAMI }).subarray(0, 200), 'cannot be read'],
    [
      'with an entry that leads out of the ZIP',
      zipOf({ name: '../website_event.csv', content: UMAMI }),
      'cannot be read',
    ],
    ['with an entry of an absolute path', zipOf({ name: '/etc/passwd', content: UMAMI }), 'absolute path: /etc/passwd'],
    ['with an entry of a path of Windows', zipOf({ name: 'C:/a.csv', content: UMAMI }), 'absolute path: C:/a.csv'],
    [
      'with an entry that has a backslash',
      zipOf({ name: '..\\a.csv', content: UMAMI }),
      'invalid characters in fileName',
    ],
    ['with an entry that is a link', zipOf({ name: 'a', content: '/etc/passwd', mode: 0o120777 }), 'is a link'],
    [
      'that unpacks to far more than it should',
      zipOf({ name: 'website_event.csv', content: UMAMI, size: 3 * 2 ** 30 }),
      'more than 1 GiB',
    ],
    [
      'that unpacks to more than it says',
      zipOf({ name: 'website_event.csv', content: UMAMI, size: 100 }),
      'cannot be read',
    ],
    [
      'whose content was changed within the ZIP',
      zipOf({ name: 'website_event.csv', content: UMAMI, checksum: 1 }),
      'The entry website_event.csv of the ZIP cannot be read: its checksum does not match.',
    ],
    [
      'of a later version of JSON lines',
      '{"format":"hitherto","version":2}\n',
      'line 1: The version of the format must be 1',
    ],
  ])('%s is rejected in one sentence', async (_, content, words) => {
    const options = words.includes('goatcounter') ? ({ format: 'goatcounter' } as const) : {};

    await expect(read(content, options)).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining(words),
    });
  });
});

describe('a header that lacks a column', () => {
  const foreign = UMAMI.replace('created_at', 'date');
  const inZip = zipOf(
    { name: 'export/event_data.csv', content: 'website_id,event_id,data_key\n' },
    { name: 'export/website_event.csv', content: foreign },
  );
  const COLUMN = 'line 1: The column "created_at" is missing, so it is not of the format "umami".';

  it.each<[string, string | Buffer, ImportFileOptions['format'], string]>([
    ['of the named format', foreign, 'umami', `The file, ${COLUMN}`],
    ['of the named format, in a ZIP', inZip, 'umami', `website_event.csv, ${COLUMN}`],
    ['of a format that it is like', foreign, 'auto', `The file, ${COLUMN}`],
    ['of Fathom', 'datetime,views\n', 'fathom', 'The column "pageviews" is missing'],
    ['of Matomo', 'idVisit,ip\n', 'matomo', 'The column "visitIp" is missing'],
    [
      'of a format with semicolons between its columns',
      UMAMI.replaceAll(',', ';'),
      'auto',
      'The file, line 1: The columns are separated by semicolons. Export the file again with commas.',
    ],
    ['of a format with tabs between its columns', UMAMI.replaceAll(',', '\t'), 'umami', 'are separated by tabs'],
    ['of a format that it is not like', 'datetime,views\n', 'auto', 'Unknown file format'],
  ])('is rejected with the column: %s', async (_, content, format, message) => {
    await expect(read(content, { format })).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining(message),
    });
  });
});
