import {
  CHANNELS,
  DEVICES,
  externalReferrer,
  HIT_STRINGS,
  type HitDetails,
  type ImportRow,
  InvalidFile,
  isDay,
  type MarkedHit,
  NETWORKS,
  type PropertyValue,
  placeOf,
  type RowPlace,
  readReferrer,
  type StoredText,
  storedText,
} from '@hitherto/domain/files';
import { type FileContent, namedIn, placeIn } from './contents.ts';
import { type JsonObject, jsonObject } from './json-object.ts';
import { cutValue, type FileLine, linesOfFile } from './lines.ts';
import { map } from './rows.ts';

// Hits as JSON lines (docs/imports.md): the format that `statistics export` writes.

const VERSION = 1;
const HEADER = JSON.stringify({ format: 'hitherto', version: VERSION });

/** The fields of a line that are strings, by their names. */
const STRINGS = Object.entries(HIT_STRINGS);
const FIELDS = new Set(['time', 'day', 'visitor', 'props', 'hidden', ...Object.keys(HIT_STRINGS)]);
/** All values of fields that have no others. */
const CLOSED = [
  ['channel', CHANNELS],
  ['device', DEVICES],
  ['network', NETWORKS],
] as const;
/** Longer values are cut by no tracker. */
const MAX_LENGTH = 2_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** A hit as a line; fields without a value are left out. */
function hitLine(hit: MarkedHit): string {
  const { time, day, visitor, props, isHidden } = hit;
  const strings = STRINGS.flatMap(([name, field]) => (hit[field] === null ? [] : [[name, hit[field]]]));
  const line = { time: time.toISOString(), day, visitor: visitor.toString(), ...Object.fromEntries(strings) };
  const more = { ...(props === null ? {} : { props }), ...(isHidden ? { hidden: true } : {}) };
  return `${JSON.stringify({ ...line, ...more })}\n`;
}

/** The whole file. */
export async function* hitFile(hits: AsyncIterable<MarkedHit>): AsyncGenerator<string> {
  let text = `${HEADER}\n`;
  for await (const hit of hits) {
    text += hitLine(hit);
    if (text.length < 1 << 16) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Whether the first line of a file is of this format. */
export function isHitLine(line: string): boolean {
  const value = jsonObject(line);
  return value?.format === 'hitherto' || (value?.page !== undefined && value.visitor !== undefined);
}

/** The rows of a file. */
export async function* hithertoRows(file: FileContent): AsyncGenerator<Iterable<ImportRow>> {
  const inFile = placeIn(file);
  for await (const lines of linesOfFile(await file.bytes(), namedIn(file))) {
    yield map(
      lines.filter((line) => isRow(line, inFile)),
      (line) => rowOf(line, inFile),
    );
  }
}

/** Whether a line is neither empty nor the header. Throws {@link InvalidFile} for the header of another version. */
function isRow({ number, text }: FileLine, inFile: RowPlace): boolean {
  const header = number === 1 ? jsonObject(text) : undefined;
  if (header?.format !== 'hitherto') return text.trim() !== '';
  if (header.version === VERSION) return false;
  throw new InvalidFile(storedText('version', placeOf({ ...inFile, line: 1 }), VERSION));
}

function rowOf({ number, text }: FileLine, inFile: RowPlace): ImportRow {
  const place = { ...inFile, line: number };
  const value = jsonObject(text);
  if (value === undefined) return { ...place, skipped: { reason: 'faulty', text: storedText('noObject') } };
  const fault = faultOf(value);
  if (fault !== undefined) return { ...place, skipped: { reason: 'faulty', text: fault } };
  const strings = STRINGS.map(([name, field]) => [field, value[name] ?? null]);
  const { host, page, name, referrer, ...stated } = Object.fromEntries(strings) as Omit<HitDetails, 'props'>;
  const props = value.props as Readonly<Record<string, PropertyValue>> | undefined;
  return {
    ...place,
    hit: {
      url: `https://${host}${page}`,
      ...(name === null ? {} : { name }),
      ...(props === undefined ? {} : { props }),
      visitor: String(value.visitor),
      time: new Date(String(value.time)),
    },
    stated: { ...stated, referrer: referrer && cutReferrer(referrer) },
    ...(value.day === undefined ? {} : { day: String(value.day) }),
  };
}

/** A referrer as it is collected: earlier versions cut it after 2,000 characters behind its host. */
function cutReferrer(referrer: string): string | null {
  return referrer.length <= MAX_LENGTH
    ? referrer
    : (externalReferrer(readReferrer(`https://${cutValue(referrer)}`), '')?.text ?? null);
}

/** Why a line is not a hit. */
function faultOf(value: JsonObject): StoredText | undefined {
  const unknown = Object.keys(value).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return storedText('unknownField', unknown.slice(0, 40));
  const text = (name: string) => value[name];
  for (const name of Object.keys(HIT_STRINGS)) {
    const given = text(name);
    if (given === undefined || given === null) continue;
    if (typeof given !== 'string' || given === '' || (given.length > MAX_LENGTH && name !== 'referrer')) {
      return storedText('notString', name, MAX_LENGTH);
    }
  }
  for (const name of ['visitor', 'host', 'page', 'channel', 'device']) {
    if (typeof text(name) !== 'string' || text(name) === '') return storedText('noField', name);
  }
  if (!String(text('page')).startsWith('/')) return storedText('slash');
  for (const [name, values] of CLOSED) {
    const given = text(name) ?? null;
    if (given !== null && !values.some((known) => known === given)) return storedText('notOneOf', name);
  }
  return timeFault(value) ?? propsFault(text('props'));
}

function timeFault({ time, day }: JsonObject): StoredText | undefined {
  if (typeof time !== 'string' || !TIME.test(time) || Number.isNaN(Date.parse(time))) {
    return storedText('rfc3339');
  }
  if (day === undefined) return undefined;
  // In UTC, a day begins up to 14 hours earlier and ends up to 12 hours later.
  const isNear =
    typeof day === 'string' && isDay(day) && Math.abs(Date.parse(day) + DAY_MS / 2 - Date.parse(time)) <= 1.1 * DAY_MS;
  return isNear ? undefined : storedText('dayOfTime');
}

function propsFault(props: unknown): StoredText | undefined {
  if (props === undefined) return undefined;
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  const isObject = typeof props === 'object' && props !== null && !Array.isArray(props);
  return isObject && Object.values(props).every(isPlain) ? undefined : storedText('plainProps');
}
