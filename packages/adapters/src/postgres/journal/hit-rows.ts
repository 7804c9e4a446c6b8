import { type CountedHit, HIT_STRINGS } from '@hitherto/domain';
import { storableString } from '../../strings.ts';

/** A hit whose website stands elsewhere. */
type HitOfWebsite = Omit<CountedHit, 'websiteId'>;

/** How a column of `hit` is written in the text format of COPY. */
const COLUMNS: Readonly<Record<string, (hit: HitOfWebsite, websiteNumber: string) => string>> = {
  website_number: (_, websiteNumber) => websiteNumber,
  visitor: (hit) => toSigned(hit.visitor),
  time: (hit) => hit.time.toISOString(),
  day: (hit) => hit.day,
  ...Object.fromEntries(
    Object.entries(HIT_STRINGS).map(([column, field]) => [column, (hit: HitOfWebsite) => toText(hit[field])]),
  ),
  props: (hit) => toText(hit.props && textsOf(hit.props)),
};
const WRITERS = Object.values(COLUMNS);

/** The columns of the rows of {@link hitRow}. */
export const HIT_TABLE_COLUMNS = Object.keys(COLUMNS);

/** The COPY statement for the rows of {@link hitRow}. */
export const COPY_HITS = `copy hit (${HIT_TABLE_COLUMNS.join(', ')}) from stdin`;

/** A row of `hit`. */
export function hitRow(hit: HitOfWebsite, websiteNumber: string): string {
  return `${WRITERS.map((write) => write(hit, websiteNumber)).join('\t')}\n`;
}

/** The columns of the rows of {@link importedHitRow}. */
export const IMPORTED_HIT_COLUMNS = [...HIT_TABLE_COLUMNS, 'import_number'];

/** A row of `hit` or `import_hit` with the number of its import; `undefined` for none. */
export function importedHitRow(hit: HitOfWebsite, websiteNumber: string, importNumber: string | undefined): string {
  return `${hitRow(hit, websiteNumber).slice(0, -1)}\t${importNumber ?? '\\N'}\n`;
}

/** A visitor's 64 bits as a signed bigint of PostgreSQL. */
export function toSigned(visitor: bigint): string {
  return BigInt.asIntN(64, visitor).toString();
}

/** Properties as text, because PostgreSQL formats some numbers differently from JavaScript. */
function textsOf(props: NonNullable<CountedHit['props']>): string {
  const texts = Object.entries(props).map(([name, value]) => [storableString(name), storableString(String(value))]);
  return JSON.stringify(Object.fromEntries(texts));
}

function toText(text: string | null): string {
  if (text === null) return '\\N';
  return storableString(text).replace(/[\\\t\n\r]/g, (character) => ESCAPED[character] ?? character);
}

const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
