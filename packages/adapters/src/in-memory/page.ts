import {
  addressOf,
  COUNT_LIMIT,
  type Cut,
  searchTextOf,
  type Website,
  type WebsiteFilter,
  type WebsitePage,
} from '@hitherto/domain';
import { canOccur, isId } from '../texts.ts';

/** The page of `websites` that the filter, the limit and the cut ask for. */
export function pageOf(
  websites: Iterable<Website>,
  filter: WebsiteFilter,
  limit: number,
  cut: Cut | undefined,
): WebsitePage {
  const matches = matcherOf(filter.search ?? '');
  const keyOf = (website: Website) => (filter.order === 'newest_first' ? website.id : addressOf(website.url));
  const isAfter = filter.order === 'address_asc' ? byteAfter : (a: string, b: string) => byteAfter(b, a);
  const found = [...websites].filter(matches).sort((a, b) => (isAfter(keyOf(a), keyOf(b)) ? 1 : -1));

  const total = Math.min(found.length, COUNT_LIMIT);
  const totalIsExact = found.length <= COUNT_LIMIT;
  if (cut !== undefined && filter.order === 'newest_first' && !isId(cut.key)) {
    return { websites: [], previous: undefined, next: undefined, total, totalIsExact };
  }

  const afterCut = cut === undefined ? 0 : found.findIndex((website) => isAfter(keyOf(website), cut.key));
  const boundary = afterCut === -1 ? found.length : afterCut;
  const [start, end] = cut?.side === 'up_to' ? [Math.max(0, boundary - limit), boundary] : [boundary, boundary + limit];
  const page = found.slice(start, end);
  const before = found[start - 1];
  const last = page.at(-1);
  const nextKey = last === undefined ? cut?.key : keyOf(last);
  return {
    websites: structuredClone(page),
    previous: before === undefined ? undefined : { side: 'up_to', key: keyOf(before) },
    next: end < found.length && nextKey !== undefined ? { side: 'after', key: nextKey } : undefined,
    total,
    totalIsExact,
  };
}

function matcherOf(search: string): (website: Website) => boolean {
  if (!canOccur(search)) return () => false;
  return (website) => searchTextOf(website.url).includes(search);
}

/** Addresses and ids are ASCII, so that the order of code units is the order of bytes, whatever they are compared with. */
function byteAfter(a: string, b: string): boolean {
  return a > b;
}
