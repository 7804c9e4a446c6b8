import { storableString } from '@hitherto/domain/base';
import { type CountedHit, HIT_STRINGS } from '@hitherto/domain/hits';
import { storableProps } from '../statistics/columns/storable-props.ts';

/** A hit whose website stands elsewhere. */
type HitOfWebsite = Omit<CountedHit, 'websiteId'>;

/** A column of `hit`: its type, and the text of its value. */
interface HitColumn {
  readonly name: string;
  readonly type: string;
  readonly textOf: (hit: HitOfWebsite) => string | null;
}

/** The columns of `hit` after the number of the website. */
export const HIT_COLUMNS: readonly HitColumn[] = [
  { name: 'visitor', type: 'bigint', textOf: (hit) => toSigned(hit.visitor) },
  { name: 'time', type: 'timestamptz', textOf: (hit) => hit.time.toISOString() },
  { name: 'day', type: 'date', textOf: (hit) => hit.day },
  { name: 'view', type: 'integer', textOf: ({ view }) => (view === undefined ? null : String(view | 0)) },
  {
    name: 'seconds',
    type: 'smallint',
    textOf: ({ measure }) => (measure === undefined ? null : String(measure.seconds)),
  },
  {
    name: 'scroll',
    type: 'smallint',
    textOf: ({ measure }) => (measure === undefined ? null : String(measure.scroll)),
  },
  ...Object.entries(HIT_STRINGS).map(([name, field]) => ({
    name,
    type: 'text',
    textOf: (hit: HitOfWebsite) => {
      const text = hit[field];
      return text === null ? null : storableString(text);
    },
  })),
  { name: 'props', type: 'jsonb', textOf: (hit) => hit.props && JSON.stringify(storableProps(hit.props)) },
];

/** The columns of the rows of {@link hitRow}. */
const HIT_TABLE_COLUMNS = ['website_number', ...HIT_COLUMNS.map(({ name }) => name)];

/** The COPY statement for the rows of {@link hitRow}. */
export const COPY_HITS = `copy hit (${HIT_TABLE_COLUMNS.join(', ')}) from stdin`;

/** A row of `hit`. */
export function hitRow(hit: HitOfWebsite, websiteNumber: string): string {
  let row = websiteNumber;
  for (const { textOf } of HIT_COLUMNS) row += `\t${toCopy(textOf(hit))}`;
  return `${row}\n`;
}

/** A visitor's 64 bits as a signed bigint of PostgreSQL. */
export function toSigned(visitor: bigint): string {
  return BigInt.asIntN(64, visitor).toString();
}

/** A value in the text format of COPY. */
export function toCopy(text: string | null): string {
  if (text === null) return '\\N';
  // Few values have any, and looking for one is quicker than replacing none.
  return TO_ESCAPE.test(text) ? text.replaceAll(ALL_TO_ESCAPE, (character) => ESCAPED[character] ?? character) : text;
}

const TO_ESCAPE = /[\\\t\n\r]/;
const ALL_TO_ESCAPE = new RegExp(TO_ESCAPE, 'g');
const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * Values as the text of an array of PostgreSQL. The driver makes it value by value, which takes several times as long as
 * JavaScript's JSON: that quotes in the same way, but names characters that stand for themselves here.
 */
export function toArray(values: readonly (string | null)[]): string {
  const json = JSON.stringify(values).slice(1, -1);
  if (!json.includes('\\')) return `{${json}}`;
  return `{${json.replace(/\\(?:u....|.)/g, (text) => (/["\\]$/.test(text) ? text : JSON.parse(`"${text}"`)))}}`;
}
