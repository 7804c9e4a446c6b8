import type { Dimension } from '@hitherto/domain/hits';

/** How Plausible names and writes the values of a dimension. */
interface PlausibleDimension {
  readonly dimension: Dimension;
  /** A visit without a value. */
  readonly none: string;
  /** Our values and theirs, where they differ. */
  readonly words?: ReadonlyMap<string, string>;
}

/** An event without a property. */
export const NONE = '(none)';
export const NOT_SET = '(not set)';
const DIRECT = 'Direct / None';

const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const COUNTRIES = new Map(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).flatMap((code) => {
    const name = regions.of(code);
    // Codes of the past, such as DD, have the name of another one.
    const isCurrent = Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
    return name === undefined || !isCurrent ? [] : [[code, name] as const];
  }),
);
const CHANNELS = new Map([
  ['Search', 'Organic Search'],
  ['Social', 'Organic Social'],
  ['Video', 'Organic Video'],
  ['AI assistants', 'AI Assistants'],
]);
const SYSTEMS = new Map([
  ['Linux', 'GNU/Linux'],
  ['macOS', 'Mac'],
  ['ChromeOS', 'Chrome OS'],
]);
const DEVICES = new Map([
  ['desktop', 'Desktop'],
  ['mobile', 'Mobile'],
  ['tablet', 'Tablet'],
  ['tv', 'TV'],
  ['other', NOT_SET],
]);

/** The dimensions of Plausible that our numbers have. */
export const PLAUSIBLE_DIMENSIONS: ReadonlyMap<string, PlausibleDimension> = new Map<string, PlausibleDimension>([
  ['event:page', { dimension: 'page', none: NOT_SET }],
  ['visit:entry_page', { dimension: 'entry_page', none: NOT_SET }],
  ['visit:exit_page', { dimension: 'exit_page', none: NOT_SET }],
  ['visit:entry_page_hostname', { dimension: 'host', none: NOT_SET }],
  ['visit:source', { dimension: 'source', none: DIRECT }],
  ['visit:referrer', { dimension: 'referrer', none: DIRECT }],
  ['visit:channel', { dimension: 'channel', none: NOT_SET, words: CHANNELS }],
  ['visit:utm_source', { dimension: 'utm_source', none: NOT_SET }],
  ['visit:utm_medium', { dimension: 'utm_medium', none: NOT_SET }],
  ['visit:utm_campaign', { dimension: 'utm_campaign', none: NOT_SET }],
  ['visit:utm_content', { dimension: 'utm_content', none: NOT_SET }],
  ['visit:utm_term', { dimension: 'utm_term', none: NOT_SET }],
  ['visit:device', { dimension: 'device', none: NOT_SET, words: DEVICES }],
  ['visit:browser', { dimension: 'browser', none: NOT_SET }],
  ['visit:os', { dimension: 'os', none: NOT_SET, words: SYSTEMS }],
  ['visit:country', { dimension: 'country', none: NOT_SET }],
  ['visit:country_name', { dimension: 'country', none: NOT_SET, words: COUNTRIES }],
]);

/** Our value as Plausible writes it. */
export function toTheirs({ none, words }: PlausibleDimension, value: string | null): string {
  return value === null ? none : (words?.get(value) ?? value);
}

/** Plausible's value as we have it; `null` for none. */
export function toOurs({ none, words }: PlausibleDimension, value: string): string | null {
  if (value === '') return null;
  for (const [ours, theirs] of words ?? []) if (theirs === value) return ours;
  return value === none ? null : value;
}
