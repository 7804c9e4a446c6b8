import { domainToASCII, domainToUnicode } from 'node:url';
import type { Day } from '../calendar/days.ts';
import { formatWithOffset, type TimeZone } from '../calendar/time-zone.ts';
import { DIMENSION_TABLE, type Dimension, type DimensionTraits, OTHER_VALUES } from '../hits/dimensions.ts';
import { addressOf } from '../websites/website-url.ts';

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

const READABLE: Readonly<Record<NonNullable<DimensionTraits['readAs']>, (value: string) => string>> = {
  path: readablePath,
  host: readableHost,
  region: (code) => named(REGIONS, code),
  language: (code) => named(LANGUAGES, code),
  device: (device) => (device === 'tv' ? 'TV' : device.charAt(0).toUpperCase() + device.slice(1)),
};

/** A value as people read it; a value without its own name is shown unchanged. */
export function formatValue(dimension: Dimension, value: string | null): string {
  const { words, readAs } = DIMENSION_TABLE[dimension];
  if (value === null) return words.none;
  if (value === OTHER_VALUES) return 'All others';
  return readAs === undefined ? value : READABLE[readAs](value);
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

function named(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    // Not the form of a code: it is shown unchanged.
    return code;
  }
}

const options = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...parts });

const DATE = options({ day: 'numeric', month: 'short' });
const DATE_OF_YEAR = options({ day: 'numeric', month: 'short', year: 'numeric' });
const FULL_DATE = options({ day: 'numeric', month: 'long', year: 'numeric' });
const WEEKDAY = options({ weekday: 'short' });
const MONTH = options({ month: 'short', year: 'numeric' });

const at = (day: Day) => new Date(`${day}T00:00:00Z`);

/** `11 Nov`. */
export function formatDay(day: Day): string {
  return DATE.format(at(day));
}

/** `3 March 2026`. */
export function formatFullDay(day: Day): string {
  return FULL_DATE.format(at(day));
}

/** `Wed 11 Nov`. */
export function formatWeekday(day: Day): string {
  return `${WEEKDAY.format(at(day))} ${DATE.format(at(day))}`;
}

/** `Nov 2026`. */
export function formatMonth(day: Day): string {
  return MONTH.format(at(day));
}

/** `21 Nov`, `25 Oct to 21 Nov`, with years where they differ or `year` asks for them. */
export function formatPeriod(from: Day, to: Day, year = from.slice(0, 4) !== to.slice(0, 4)): string {
  const last = year ? DATE_OF_YEAR.format(at(to)) : DATE.format(at(to));
  if (from === to) return last;
  const first = from.slice(0, 4) === to.slice(0, 4) ? DATE.format(at(from)) : DATE_OF_YEAR.format(at(from));
  return `${first} to ${last}`;
}

/** As {@link formatPeriod}, with years unless all its days are in the year of `today`. */
export function formatPeriodSeenOn(today: Day, from: Day, to: Day): string {
  const [year, first, last] = [today, from, to].map((day) => day.slice(0, 4));
  return formatPeriod(from, to, first !== year || last !== year);
}

/** `20 Nov 2026, 13:05`, by the clock of the zone. */
export function formatTime(zone: TimeZone, time: Date): string {
  const local = formatWithOffset(zone, time);
  return `${DATE_OF_YEAR.format(at(local.slice(0, 10)))}, ${local.slice(11, 16)}`;
}
