import { storableString } from '../base/strings.ts';
import { HIT_STRINGS } from '../hits/dimensions.ts';
import type { CountedHit } from '../hits/hit.ts';
import type { WrittenHit } from './hit-journal.ts';

/** The content of {@link WrittenHit.fields}. */
type Fields = Omit<CountedHit, 'websiteId' | 'day'>;

const STRINGS = Object.entries(HIT_STRINGS);

/** The text of a hit, by {@link WrittenHit.fields}. */
export function writeFields(hit: Fields): string {
  const fields: Record<string, unknown> = { visitor: BigInt.asUintN(64, hit.visitor).toString(), time: hit.time };
  for (const [column, field] of STRINGS) {
    const text = hit[field];
    if (text !== null) fields[column] = storableString(text);
  }
  if (hit.props !== null) fields.props = textsOf(hit.props);
  if (hit.view !== undefined) fields.view = hit.view;
  if (hit.measure !== undefined) Object.assign(fields, hit.measure, { is_measure: 1 });
  return JSON.stringify(fields);
}

/** The hit of a text that this version or an earlier one has written; a dimension that it did not know is `null`. */
export function readFields(text: string): Fields {
  const fields = JSON.parse(text);
  const hit: Record<string, unknown> = {
    visitor: BigInt(fields.visitor),
    time: new Date(fields.time),
    props: fields.props ?? null,
  };
  for (const [column, field] of STRINGS) hit[field] = fields[column] ?? null;
  if (fields.view !== undefined) hit.view = fields.view;
  if (fields.is_measure !== undefined) hit.measure = { seconds: fields.seconds, scroll: fields.scroll };
  // The text was written from a hit, by the same table.
  return hit as unknown as Fields;
}

/** Properties as strings, as JavaScript formats them. */
function textsOf(props: NonNullable<CountedHit['props']>): Record<string, string> {
  const texts = Object.entries(props).map(([name, value]) => [storableString(name), storableString(String(value))]);
  return Object.fromEntries(texts);
}
