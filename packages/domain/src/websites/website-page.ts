import type { Website } from './website.ts';
import { addressOf } from './website-url.ts';

/** The filter and the order of a list. */
export interface WebsiteFilter {
  /** Case-folded plain text to find in a line of a website's search text (`searchTextOf`); absent for all websites. */
  readonly search?: string;
  /** By address in byte order, or by id, newest first. */
  readonly order: 'address_asc' | 'address_desc' | 'newest_first';
}

/**
 * A position in a list, at the sort key (address or id) of a website: a page has the websites after it, or up to and
 * including it. The website itself need not exist any more.
 */
export interface CursorPosition {
  readonly side: 'after' | 'up_to';
  readonly key: string;
}

/** A page of a list, in the requested order. */
export interface WebsitePage {
  readonly websites: readonly Website[];
  /** The positions of the previous and the next page; `undefined` if there is none. */
  readonly previous: CursorPosition | undefined;
  readonly next: CursorPosition | undefined;
  /** The number of matches, counted up to {@link COUNT_LIMIT}. */
  readonly total: number;
  readonly totalIsExact: boolean;
}

/** Counting stops here, so that a list of millions costs as much as one of thousands (api.md, "List"). */
export const COUNT_LIMIT = 10_000;

/** The parameters of a page. */
export interface PageRequest {
  readonly order: WebsiteFilter['order'];
  readonly limit: number;
  readonly position: CursorPosition | undefined;
}

/** A walk away from a position: over websites whose key compares this way with the position's, in this direction. */
export interface Walk {
  readonly key: 'address' | 'id';
  readonly compare: '>' | '<' | '>=' | '<=';
  readonly direction: 'asc' | 'desc';
}

/** The two walks from the position: over the websites of the page, and over those on the other side. */
export function walksOf({ order, position }: PageRequest): { readonly page: Walk; readonly other: Walk } {
  const key = order === 'newest_first' ? 'id' : 'address';
  const isAscending = order === 'address_asc';
  const ahead: Walk = isAscending ? { key, compare: '>', direction: 'asc' } : { key, compare: '<', direction: 'desc' };
  // The website at the position is on the near side.
  const back: Walk = isAscending ? { key, compare: '<=', direction: 'desc' } : { key, compare: '>=', direction: 'asc' };
  return position?.side === 'up_to' ? { page: back, other: ahead } : { page: ahead, other: back };
}

/** The results of the walks. */
export interface Found {
  /** The websites of the page, in the order of the walk, and one more if there is one. */
  readonly websites: readonly Website[];
  /** The sort key of the first website on the other side of the position, if there is one. */
  readonly neighbour: string | undefined;
  /** The number of websites in the whole list; {@link COUNT_LIMIT} + 1 means more than the limit. */
  readonly count: number;
}

/** The requested page. */
export function toPage({ order, limit, position }: PageRequest, { websites, neighbour, count }: Found): WebsitePage {
  const isBack = position?.side === 'up_to';
  const walked = websites.slice(0, limit);
  const page = isBack ? walked.reverse() : walked;
  const beyond = websites[limit];
  const beyondKey = beyond && sortKeyOf(beyond, order);
  const last = page.at(-1);
  const lastKey = last === undefined ? position?.key : sortKeyOf(last, order);
  const previousKey = isBack ? beyondKey : neighbour;
  const hasMore = (isBack ? neighbour : beyondKey) !== undefined;
  return {
    websites: page,
    previous: previousKey === undefined ? undefined : { side: 'up_to', key: previousKey },
    next: hasMore && lastKey !== undefined ? { side: 'after', key: lastKey } : undefined,
    total: Math.min(count, COUNT_LIMIT),
    totalIsExact: count <= COUNT_LIMIT,
  };
}

/** The sort key of the order. */
function sortKeyOf(website: Website, order: WebsiteFilter['order']): string {
  return order === 'newest_first' ? website.id : addressOf(website.url);
}
