import { zipOf } from '@hitherto/testing/zip';
import { expect, it } from 'vitest';
import { importFolder, openImport } from './support.ts';

const { write } = importFolder();

it.each([
  ['long', Array.from({ length: 70 }, (_, id) => JSON.stringify({ id, path: 'x'.repeat(1_000_000) }))],
  ['many', Array.from({ length: 700_000 }, (_, id) => `{"id":${id}}`)],
])("GoatCounter's JSON export is rejected if its lists do not fit in memory: %s paths", async (_, paths) => {
  const entry = (name: string, content = '') => ({ name: `${name}.jsonl`, content });
  const zip = zipOf(
    { name: 'info.json', content: '{"export_version":"1.0"}' },
    entry('paths', paths.join('\n')),
    ...['refs', 'browsers', 'systems'].map((name) => entry(name)),
    entry('hit_stats', '{"hour":"2026-01-01T00:00:00Z","path_id":1,"ref_id":1,"count":1}\n'),
    ...['browser_stats', 'system_stats', 'location_stats', 'language_stats'].map((name) => entry(name)),
  );
  const source = await openImport(await write(zip));
  if (!('sumRows' in source)) throw new Error('The file has no sums.');

  const read = async () => {
    for await (const _ of source.sumRows());
  };

  await expect(read()).rejects.toThrow(/^paths\.jsonl, line \d+: The lists of the export are larger than 64 MiB/);
});
