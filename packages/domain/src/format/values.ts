import { domainToASCII, domainToUnicode } from 'node:url';
import type { Locale, Words } from '@hitherto/words';
import { formatWithOffset, type TimeZone } from '../calendar/time-zone.ts';
import { DIMENSION_TABLE, type Dimension, OTHER_VALUES } from '../hits/dimensions.ts';
import { addressOf } from '../websites/website-url.ts';

/** A value as people read it; a value without its own name is shown unchanged. */
export function formatValue({ words, format }: Locale, dimension: Dimension, value: string | null): string {
  if (value === null) return words.dimensions[dimension].none;
  if (value === OTHER_VALUES) return words.values.others;
  switch (DIMENSION_TABLE[dimension].readAs) {
    case 'path':
      return readablePath(value);
    case 'host':
      return readableHost(value);
    case 'region':
      return format.region(value);
    case 'language':
      return format.language(value);
    case 'name':
      return nameOf(words, dimension, value);
    default:
      return value;
  }
}

type Names = Readonly<Partial<Record<Dimension, Readonly<Record<string, string>>>>>;

/** The names that values of a dimension have. */
function nameOf({ values: { others: _, ...values } }: Words, dimension: Dimension, value: string): string {
  const names = (values satisfies Names as Names)[dimension] ?? {};
  return Object.hasOwn(names, value) ? (names[value] ?? value) : value;
}

/** The address of a website as people write it, without the scheme. */
export function formatAddress(url: string): string {
  const [, host = '', rest = ''] = /^(\[[^\]]*\]|[^:/]*)(.*)$/su.exec(addressOf(url)) ?? [];
  return `${readableHost(host)}${readablePath(rest)}`;
}

/** Letters of one script, digits and hyphens: no label looks like another one because scripts are mixed. */
const READABLE_LABEL = new RegExp(
  ['\\p{Script=Latin}', '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー', '\\p{Script=Hangul}']
    .concat(['Arabic', 'Hebrew', 'Thai', 'Devanagari'].map((script) => `\\p{Script=${script}}`))
    .map((letters) => `^[${letters}\\p{M}\\d-]+$`)
    .join('|'),
  'u',
);

/**
 * A host with its labels in Unicode. Labels in Cyrillic, Greek and other scripts whose words can look like Latin ones stay in
 * ASCII, as browsers have it.
 */
function readableHost(host: string): string {
  const labels = host.split('.').map((label) => {
    const readable = label.startsWith('xn--') ? domainToUnicode(label) : label;
    return READABLE_LABEL.test(readable) && domainToASCII(readable) === label ? readable : label;
  });
  return labels.join('.');
}

/** Escapes of one character of UTF-8 that is not ASCII. */
const ESCAPED = /%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;

/** A path with its letters, digits and symbols decoded. Spaces and invisible characters stay escaped. */
export function readablePath(path: string): string {
  return path.replace(ESCAPED, (escapes) => {
    try {
      const character = decodeURIComponent(escapes);
      return /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character) && !/\p{Default_Ignorable_Code_Point}/u.test(character)
        ? character
        : escapes;
    } catch {
      // Not UTF-8.
      return escapes;
    }
  });
}

/** `20 Nov 2026, 13:05`, by the clock of the zone. */
export function formatTime({ format }: Locale, zone: TimeZone, time: Date): string {
  const local = formatWithOffset(zone, time);
  return `${format.dayOfYear(local.slice(0, 10))}, ${local.slice(11, 16)}`;
}
