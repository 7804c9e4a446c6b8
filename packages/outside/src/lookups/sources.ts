import { type HitLookups, REFERRER_CHANNELS, type ReferrerChannel } from '@hitherto/domain/hits';
import { linesOfList } from './lists.ts';

interface Source {
  readonly name: string;
  readonly channel: ReferrerChannel;
  /** Empty, or the path without which the host does not count. */
  readonly path: string;
}

/** First labels of other versions of a site: languages, mobile and business pages, numbered hosts (counting.md). */
const VERSION_LABEL =
  /^(?:(?:www|web|mobile|mobi|touch|mbasic|wap|tablet|old|new|beta|out|away|amp|business|biz|[a-z]{1,2}(?:-[a-z]{2})?)-?\d*|\d+)\./;

/** More first labels are not a version of a site. */
const MAX_VERSION_LABELS = 4;

/** The meaning of `{}` at the end of an entry: `de`, `co.uk`, `com.au`. */
const TOP_LEVEL_DOMAIN = /\.(?:(?:co|com|net|org|edu|gov|ac|ne|or|go)\.[a-z]{2}|[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** Its meaning elsewhere: the country of `de.search.yahoo.com`. */
const COUNTRY_LABEL = /(^|\.)[a-z]{2}(?=\.[^.]+\.)/;

/** Finds sources in the lists of this package: by a referrer's host or Android package, and by the label of a campaign. */
export async function loadSources(): Promise<Pick<HitLookups, 'sourceOf' | 'sourceNamed'>> {
  const sources = parse(await linesOfList('sources.tsv'));
  const names = new Map<string, string>();
  for (const { name } of [...sources.values()].flat()) if (!names.has(fold(name))) names.set(fold(name), name);

  const find = (host: string, path: string): Source | undefined => {
    for (const key of keysOf(host)) {
      const source = sources.get(key)?.find((candidate) => isWithin(path, candidate.path));
      if (source !== undefined) return source;
    }
    return undefined;
  };

  const sourceOf: HitLookups['sourceOf'] = (address) => {
    const slash = address.indexOf('/');
    const path = slash === -1 ? '' : address.slice(slash);
    let host = (slash === -1 ? address : address.slice(0, slash)).toLowerCase();
    for (let labels = 0; labels <= MAX_VERSION_LABELS; labels += 1) {
      const source = find(host, path);
      if (source !== undefined) return { name: source.name, channel: source.channel };
      const shorter = host.replace(VERSION_LABEL, '');
      if (shorter === host) return undefined;
      host = shorter;
    }
    return undefined;
  };

  return { sourceOf, sourceNamed: (label) => names.get(fold(label)) ?? sourceOf(label)?.name };
}

/** A name in the form in which labels are compared: `product-hunt` and `ProductHunt` are Product Hunt. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[\s._!'-]/g, '');
}

function parse(lines: readonly string[]): Map<string, Source[]> {
  const sources = new Map<string, Source[]>();
  for (const line of lines) {
    const [channel = '', name = '', entry = ''] = line.split('\t');
    if (!isReferrerChannel(channel)) throw new Error(`sources.tsv has an unknown channel: ${line}`);
    const slash = entry.indexOf('/');
    const host = slash === -1 ? entry : entry.slice(0, slash);
    const path = slash === -1 ? '' : entry.slice(slash);
    sources.set(host, [...(sources.get(host) ?? []), { name, channel, path }]);
  }
  // An entry with a path is more specific than one without; otherwise the list's order is the order of precedence.
  for (const candidates of sources.values()) candidates.sort((a, b) => Number(b.path !== '') - Number(a.path !== ''));
  return sources;
}

/** The forms in which the list can contain a host, most specific first. */
function keysOf(host: string): readonly string[] {
  return [host, host.replace(COUNTRY_LABEL, '$1{}'), host.replace(TOP_LEVEL_DOMAIN, '.{}')];
}

function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

function isReferrerChannel(channel: string): channel is ReferrerChannel {
  return REFERRER_CHANNELS.some((known) => known === channel);
}

/** Recognizes referrer spammers: hosts that are on the list, or below a domain on it. */
export async function loadSpammers(): Promise<HitLookups['isSpamReferrer']> {
  const spammers = new Set((await linesOfList('referrer-spammers.txt')).map((host) => host.toLowerCase()));

  return (host) => {
    let domain = host.toLowerCase();
    while (!spammers.has(domain)) {
      const dot = domain.indexOf('.');
      if (dot === -1) return false;
      domain = domain.slice(dot + 1);
    }
    return true;
  };
}
