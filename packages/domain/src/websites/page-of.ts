import { isId } from '../base/ids.ts';
import { canOccur } from '../base/strings.ts';
import type { Website } from './website.ts';
import { COUNT_LIMIT, type PageRequest, toPage, type Walk, type WebsitePage, walksOf } from './website-page.ts';
import { addressOf, searchTextOf } from './website-url.ts';

/** A page of those of the `websites` that contain `search`: the definition of a page, and fast enough for few websites. */
export function pageOf(websites: Iterable<Website>, search: string, request: PageRequest): WebsitePage {
  const found = [...websites].filter(matcherOf(search));
  const count = Math.min(found.length, COUNT_LIMIT + 1);
  const { order, limit, position } = request;
  if (position !== undefined && order === 'newest_first' && !isId(position.key)) {
    return toPage({ ...request, position: undefined }, { websites: [], neighbour: undefined, count });
  }
  const walks = walksOf(request);
  const [neighbour] = position === undefined ? [] : walk(found, walks.other, position.key);
  const page = walk(found, walks.page, position?.key);
  return toPage(request, {
    websites: structuredClone(page.slice(0, limit + 1)),
    neighbour: neighbour && keyOf(neighbour, walks.other),
    count,
  });
}

/** The websites away from the key, in the order of the walk; all of them where there is none. */
function walk(websites: readonly Website[], walk: Walk, from: string | undefined): Website[] {
  const { compare, direction } = walk;
  const isBeyond = (key: string) => {
    if (from === undefined) return true;
    if (key === from) return compare.includes('=');
    // Addresses and ids are ASCII, so the order of code units equals the order of bytes.
    return direction === 'asc' ? key > from : key < from;
  };
  const sign = direction === 'asc' ? 1 : -1;
  return websites
    .filter((website) => isBeyond(keyOf(website, walk)))
    .sort((a, b) => (keyOf(a, walk) > keyOf(b, walk) ? sign : -sign));
}

function keyOf(website: Website, { key }: Walk): string {
  return key === 'id' ? website.id : addressOf(website.url);
}

function matcherOf(search: string): (website: Website) => boolean {
  if (!canOccur(search)) return () => false;
  return (website) => searchTextOf(website.url).includes(search);
}
