import { fitProps, InvalidFile, standalone, storedText } from '@hitherto/domain/files';
import { LRUCache } from 'lru-cache';
import type { FileContent } from './contents.ts';
import { csvRows, headerOf } from './csv.ts';
import { type Fields, given } from './rows.ts';

/** Columns of `event_data.csv`, which has a row for each property of an event. */
const COLUMNS = ['event_id', 'data_key', 'data_type'];
/** Types of values; others are strings. */
const [NUMBER, BOOLEAN] = ['2', '3'];
/** All of it is held in memory, because it may be in any order. */
const MAX_LENGTH = 1 << 26;
/** For one event: Umami stores up to 50 values of it. */
const MAX_EVENT_LENGTH = 1 << 16;
/** The number of events whose parsed data is cached, because several rows may name one event. */
const PARSED_EVENTS = 1_000;

/**
 * Reads the data of events in an export of Umami, which may have none, and yields no row while it does. Returns the data of the event
 * of a row.
 */
export async function* readEventData(
  files: readonly FileContent[],
): AsyncGenerator<readonly never[], (row: Fields) => object | undefined> {
  const texts = new Map<string, string>();
  let length = 0;
  for (const file of files) {
    const [first = ''] = (await file.start()).split(/\r?\n/, 1);
    const header = headerOf(first);
    if (!COLUMNS.every((column) => header.includes(column))) continue;
    for await (const rows of csvRows(await file.bytes(), file.name)) {
      for (const { fields } of rows) {
        const { event_id: id = '', data_key: key = '' } = fields;
        const known = texts.get(id);
        // Without its braces; empty for a value that no event has.
        const member = JSON.stringify(fitProps({ [key]: dataValue(fields) })).slice(1, -1);
        if (member === '') continue;
        if (known === undefined) texts.set(standalone(id), member);
        else texts.set(id, `${known},${member}`);
        if ((known?.length ?? 0) + member.length > MAX_EVENT_LENGTH) {
          throw new InvalidFile(storedText('muchDataOf', file.name, id.slice(0, 40)));
        }
        length += member.length + (known === undefined ? id.length : 0);
        if (length > MAX_LENGTH) throw new InvalidFile(storedText('muchData', file.name));
      }
      yield [];
    }
  }
  const parsed = new LRUCache<string, object>({ max: PARSED_EVENTS });
  return ({ event_id: id = '' }) => {
    const text = texts.get(id);
    if (text === undefined) return undefined;
    const data = parsed.get(id) ?? fitProps(JSON.parse(`{${text}}`));
    parsed.set(id, data);
    return data;
  };
}

function dataValue({ data_type: type, string_value: text, number_value: number, date_value: date }: Fields) {
  if (type === NUMBER) return Number(given(number) ?? given(text) ?? Number.NaN);
  if (type === BOOLEAN) return text === 'true';
  return given(text) ?? given(date) ?? '';
}
