import { zipOf } from '@hitherto/testing/zip';
import { expect, it } from 'vitest';
import { importFolder, openImport, UMAMI } from './support.ts';

const { write } = importFolder();

const BLANK = '\n'.repeat(2 ** 19);
const entry = (name: string, content: string) => ({ name, content });
const EVENT_DATA = 'event_id,data_key,data_type,string_value\ne2,plan,1,pro\n';
const HIT = '{"format":"hitherto","version":1}\n';
const MATOMO = '[{"idVisit":"1","actionDetails":[]}';
const goatCounter = (...lists: readonly string[]) =>
  zipOf(
    entry('info.json', '{"export_version":"1.0"}'),
    ...['paths', 'refs', 'browsers', 'systems'].map((name) =>
      entry(`${name}.jsonl`, `{"id":1}\n${lists.includes(name) ? BLANK : ''}`),
    ),
    entry('hit_stats.jsonl', `{"hour":"2026-01-01T00:00:00Z","path_id":1,"ref_id":1,"count":1}\n`),
    ...['browser_stats', 'system_stats', 'location_stats', 'language_stats'].map((name) => entry(`${name}.jsonl`, '')),
  );

// So that reading can be aborted between them.
it.each([
  ['JSON lines', `${HIT}${BLANK}`],
  ['CSV', `${UMAMI}${BLANK}`],
  ['Matomo JSON', `${MATOMO}${BLANK}]`],
  ['Matomo JSON, after the array', `${MATOMO}]${BLANK}`],
  ['Matomo CSV', `idVisit,visitIp,actionDetails_0_type\n1,::1,action\n${BLANK}`],
  ['event data of Umami', zipOf(entry('event_data.csv', EVENT_DATA + BLANK), entry('website_event.csv', UMAMI))],
  ['a list of GoatCounter', goatCounter('paths')],
  ['a later list of GoatCounter', goatCounter('systems')],
])('a file yields pieces while it has no rows: %s', async (_, content) => {
  const source = await openImport(await write(content));
  const pieces: Iterable<unknown>[] = [];
  const read = 'rows' in source ? source.rows() : 'sumRows' in source ? source.sumRows() : [];

  for await (const piece of read) pieces.push([...piece]);

  expect(pieces.filter((piece) => [...piece].length === 0).length).toBeGreaterThan(4);
});
