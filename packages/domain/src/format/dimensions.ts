import { type Dimension, OTHER_VALUES } from '../statistics/dimensions.ts';

/** What a dimension is called on the pages. */
export interface DimensionWords {
  /** As the head of a column: `Source`. */
  readonly one: string;
  /** As the head of a list: `Sources`. */
  readonly many: string;
  /** What a visit without a value is called. */
  readonly none: string;
}

const WORDS: Readonly<Record<Dimension, DimensionWords>> = {
  page: { one: 'Page', many: 'Pages', none: 'No page' },
  entry_page: { one: 'Entry page', many: 'Entry pages', none: 'No page' },
  exit_page: { one: 'Exit page', many: 'Exit pages', none: 'No page' },
  channel: { one: 'Channel', many: 'Channels', none: 'No channel' },
  source: { one: 'Source', many: 'Sources', none: 'Direct or unknown' },
  referrer: { one: 'Referrer', many: 'Referrers', none: 'Direct or unknown' },
  utm_source: { one: 'Campaign source', many: 'Campaign sources', none: 'No campaign source' },
  utm_medium: { one: 'Campaign medium', many: 'Campaign media', none: 'No campaign medium' },
  utm_campaign: { one: 'Campaign', many: 'Campaigns', none: 'No campaign' },
  utm_content: { one: 'Campaign content', many: 'Campaign contents', none: 'No campaign content' },
  utm_term: { one: 'Campaign term', many: 'Campaign terms', none: 'No campaign term' },
  country: { one: 'Country', many: 'Countries', none: 'Unknown' },
  language: { one: 'Language', many: 'Languages', none: 'Unknown' },
  browser: { one: 'Browser', many: 'Browsers', none: 'Unknown' },
  os: { one: 'System', many: 'Systems', none: 'Unknown' },
  device: { one: 'Device', many: 'Devices', none: 'Unknown' },
  event: { one: 'Event', many: 'Events', none: 'No event' },
};

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

export function wordsOf(dimension: Dimension): DimensionWords {
  return WORDS[dimension];
}

/** A value as people read it; what has no name of its own is shown as it is. */
export function formatValue(dimension: Dimension, value: string | null): string {
  if (value === null) return WORDS[dimension].none;
  if (value === OTHER_VALUES) return 'All others';
  if (dimension === 'country') return named(REGIONS, value);
  if (dimension === 'language') return named(LANGUAGES, value);
  if (dimension === 'device') return value === 'tv' ? 'TV' : value.charAt(0).toUpperCase() + value.slice(1);
  if (PATHS.has(dimension)) return readablePath(value);
  return value;
}

const PATHS: ReadonlySet<Dimension> = new Set(['page', 'entry_page', 'exit_page', 'referrer']);

/** Escapes of one character of UTF-8 that is not ASCII. */
const ESCAPED = /%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;

/** A path with its letters, digits and symbols decoded. Spaces, and marks that nobody sees, stay escaped. */
function readablePath(path: string): string {
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
    // Not the form of a code: it is shown as it is.
    return code;
  }
}
