import { basename } from 'node:path';
import {
  fitName,
  GAPS,
  InvalidFile,
  type StoredText,
  type SumContent,
  type SumKind,
  type SumRow,
  storedText,
} from '@hitherto/domain/files';
import type { FileContent, FileContents } from './contents.ts';
import { type JsonObject, jsonObject } from './json-object.ts';
import { cutValue, type FileLine, linesOfFile } from './lines.ts';
import { browserNamed, countryNamed, languageNamed, systemNamed } from './names.ts';
import { map } from './rows.ts';
import { cutValueOf, isCount, pageOfPath, referredBy, type SumFile, sumContent, withoutVisits } from './sums.ts';

// The ZIP of GoatCounter's JSON export, version 1: lists of paths, referrers and the like, and statistics by path that refer to
// them. A count is how many visits have opened a path. Hours and days are in UTC.

/** The lists that statistics refer to, by their ids. */
interface Lists {
  readonly paths: ReadonlyMap<unknown, { readonly path: string; readonly isEvent: boolean }>;
  readonly refs: ReadonlyMap<unknown, { readonly ref: string; readonly scheme: string }>;
  readonly browsers: ReadonlyMap<unknown, string>;
  readonly systems: ReadonlyMap<unknown, string>;
}

/** Yields no row while it reads the lists. */
type ReadLists = () => AsyncGenerator<readonly never[], Lists>;

/** The values of a row by their kinds, or why it is faulty. */
type ReadValues = (
  item: JsonObject,
  lists: Lists,
  websiteHost: string,
) => readonly (readonly [SumKind, string | null])[] | StoredText;

/** Statistics of the export. */
interface Table {
  readonly kinds: readonly SumKind[];
  readonly read: ReadValues;
}

/** By their names in the ZIP. Those of hits, from which the numbers of whole days are, come first. */
const TABLES: Readonly<Record<string, Table>> = {
  hit_stats: {
    kinds: ['page', 'source', 'referrer', 'utm_source', 'event'],
    read: ({ ref_id: id }, { refs }, websiteHost) => {
      const found = refs.get(id);
      return found === undefined ? missing('ref_id', id, 'refs') : referrerOf(found, websiteHost);
    },
  },
  browser_stats: {
    kinds: ['browser'],
    read: ({ browser_id: id }, { browsers }) => {
      const name = browsers.get(id);
      return name === undefined
        ? missing('browser_id', id, 'browsers')
        : [['browser', browserNamed(name) ?? cutValueOf(name)]];
    },
  },
  system_stats: {
    kinds: ['os'],
    read: ({ system_id: id }, { systems }) => {
      const name = systems.get(id);
      return name === undefined ? missing('system_id', id, 'systems') : [['os', systemNamed(name) ?? cutValueOf(name)]];
    },
  },
  location_stats: {
    kinds: ['country'],
    read: ({ location }) => [['country', countryNamed(stringOf(location))]],
  },
  language_stats: {
    kinds: ['language'],
    read: ({ language }) => [['language', languageOf(stringOf(language))]],
  },
};

const VERSION = /^1(?:\.|$)/;

/** Whether these are the files of an export. */
export function isGoatCounterExport(files: readonly FileContent[]): boolean {
  return entryOf(files, 'hit_stats.jsonl') !== undefined && entryOf(files, 'paths.jsonl') !== undefined;
}

/**
 * @param contents of the ZIP
 * @param websiteHost whose own pages are no referrers
 */
export async function openGoatCounterExport(contents: FileContents, websiteHost: string): Promise<SumContent> {
  await checkVersion(contents.files);
  const paths = required(contents.files, 'paths.jsonl');
  const refs = required(contents.files, 'refs.jsonl');
  const browsers = required(contents.files, 'browsers.jsonl');
  const systems = required(contents.files, 'systems.jsonl');
  const tables: (SumFile & Table)[] = [];
  let lists: Lists | undefined;
  const listsOf: ReadLists = async function* () {
    const used = { bytes: 0 };
    lists ??= {
      paths: yield* listOf(paths, used, ({ path, event }) => ({ path: stringOf(path), isEvent: event === true })),
      refs: yield* listOf(refs, used, ({ ref, ref_scheme: scheme }) => ({
        ref: stringOf(ref),
        scheme: stringOf(scheme),
      })),
      browsers: yield* listOf(browsers, used, ({ name }) => stringOf(name)),
      systems: yield* listOf(systems, used, ({ name }) => stringOf(name)),
    };
    return lists;
  };
  for (const [name, table] of Object.entries(TABLES)) {
    const file = required(contents.files, `${name}.jsonl`);
    // A dimension that GoatCounter does not collect is an empty file.
    if ((await file.start()).trim() === '') continue;
    tables.push({ ...table, file, rows: () => rowsOf(name, table, file, listsOf, websiteHost) });
  }
  return sumContent(
    'goatcounter',
    tables.flatMap(({ kinds }) => kinds),
    tables,
    contents,
  );
}

function entryOf(files: readonly FileContent[], name: string): FileContent | undefined {
  return files.find((file) => basename(file.name) === name);
}

function required(files: readonly FileContent[], name: string): FileContent {
  const file = entryOf(files, name);
  if (file === undefined) throw new InvalidFile(storedText('noList', name));
  return file;
}

async function checkVersion(files: readonly FileContent[]): Promise<void> {
  const info = jsonObject(await required(files, 'info.json').start());
  const version = stringOf(info?.export_version);
  if (VERSION.test(version)) return;
  throw new InvalidFile(storedText('exportVersion', version.slice(0, 20)));
}

/** The lists are held in memory, because statistics refer to them in any order. */
const MAX_LISTS_BYTES = 1 << 26;
/** About the bytes that the shortest item takes. */
const MIN_ITEM_BYTES = 100;

/**
 * The objects of a list by their ids.
 *
 * @param used by all lists
 */
async function* listOf<Value>(
  file: FileContent,
  used: { bytes: number },
  read: (item: JsonObject) => Value,
): AsyncGenerator<readonly never[], Map<unknown, Value>> {
  const found = new Map<unknown, Value>();
  for await (const lines of linesOfFile(await file.bytes(), basename(file.name))) {
    for (const { number, text } of lines.filter(isItem)) {
      const item = jsonObject(text);
      if (item === undefined) throw new InvalidFile(storedText('noObjectAt', basename(file.name), number));
      found.set(item.id, read(item));
      used.bytes += Math.max(text.length, MIN_ITEM_BYTES);
      if (used.bytes > MAX_LISTS_BYTES) {
        throw new InvalidFile(storedText('largeLists', basename(file.name), number));
      }
    }
    yield [];
  }
  return found;
}

async function* rowsOf(
  table: string,
  { read }: Table,
  file: FileContent,
  listsOf: ReadLists,
  websiteHost: string,
): AsyncGenerator<Iterable<SumRow>> {
  const lists = yield* listsOf();
  const toRow = ({ number, text }: FileLine): SumRow => {
    const item = jsonObject(text);
    const common = { file: basename(file.name), line: number, table, day: dayOf(item) };
    const sums =
      item === undefined ? storedText('noObject') : sumsOf(item, lists, read(item, lists, websiteHost), table);
    return 'name' in sums ? { ...common, sums: [], skipped: { reason: 'faulty', text: sums } } : { ...common, sums };
  };
  for await (const lines of linesOfFile(await file.bytes(), basename(file.name)))
    yield map(lines.filter(isItem), toRow);
}

/** Whether a line is not empty. */
function isItem({ text }: FileLine): boolean {
  return text.trim() !== '';
}

/** An event is a path as well. The numbers of whole days come from `hit_stats`, which also knows the visits of each path. */
function sumsOf(
  item: JsonObject,
  { paths }: Lists,
  values: ReturnType<ReadValues>,
  table: string,
): SumRow['sums'] | StoredText {
  const { count, path_id: id } = item;
  if ('name' in values) return values;
  if (!isCount(count)) return storedText('notCount', shown(count) ?? storedText('missing'));
  const found = paths.get(id);
  if (found === undefined) return missing('path_id', id, 'paths');
  const { path, isEvent } = found;
  const numbers = withoutVisits(isEvent ? { events: count } : { pageviews: count });
  const sums = values.map(([kind, value]) => ({ kind, value, numbers }));
  if (table !== 'hit_stats') return sums;
  const ofPath = { ...numbers, visits: count, gaps: (numbers.gaps ?? 0) & GAPS.visitorsAtMost };
  return [
    { kind: 'total', value: null, numbers },
    isEvent
      ? { kind: 'event', value: cutValueOf(fitName(path.replace(/^\//, ''))), numbers: ofPath }
      : { kind: 'page', value: pageOfPath(path), numbers: ofPath },
    ...sums,
  ];
}

/** The scheme `h` is a host with its path, `c` the label of a campaign, `g` the name of a group, and `o` something else. */
function referrerOf({ ref, scheme }: { readonly ref: string; readonly scheme: string }, websiteHost: string) {
  // A campaign without a label of its source has the referrer as it was sent.
  const isLabel = scheme === 'c' && !/^https?:\/\//.test(ref);
  const isAddress = scheme === 'h' || (scheme === 'c' && !isLabel);
  const { source, referrer } = isAddress ? referredBy(ref, websiteHost) : { source: cutValueOf(ref), referrer: null };
  return [
    ['source', source],
    ['referrer', referrer],
    ['utm_source', isLabel ? cutValueOf(ref) : null],
  ] as const;
}

function missing(column: string, id: unknown, list: string): StoredText {
  const value = shown(id);
  return value === undefined ? storedText('noId', column, list) : storedText('notListed', column, value, list);
}

/** A value for an error. */
function shown(value: unknown): string | undefined {
  return JSON.stringify(value)?.slice(0, 40);
}

/** GoatCounter has ISO 639-3, such as `deu`. */
function languageOf(code: string): string | null {
  return /^[a-z]{3}$/.test(code) ? languageNamed(Intl.getCanonicalLocales(code)[0]) : null;
}

function dayOf(item: JsonObject | undefined): string {
  const time = stringOf(item?.day) || stringOf(item?.hour);
  return /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/.test(time) ? time.slice(0, 10) : time;
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? cutValue(value) : '';
}
