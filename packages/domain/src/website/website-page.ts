import type { Website } from './website.ts';
import { addressOf } from './website-url.ts';

/** Which websites of an account a list shows, and in which order. */
export interface WebsiteFilter {
  /** Plain text, case folded, that occurs in a line of a website's search text (`searchTextOf`); absent for all websites. */
  readonly search?: string;
  /** By address in byte order, or by id, the newest first. */
  readonly order: 'address_asc' | 'address_desc' | 'newest_first';
}

/**
 * A position in the order of a list, at the sort key (address or id) of a website: a page holds what comes after it, or what
 * comes up to it and including it. The website itself need not exist any more.
 */
export interface CursorPosition {
  readonly side: 'after' | 'up_to';
  readonly key: string;
}

/** A page of a list, in the order asked for. */
export interface WebsitePage {
  readonly websites: readonly Website[];
  /** Where the page before and the page after begin; `undefined` where there is no such page. */
  readonly previous: CursorPosition | undefined;
  readonly next: CursorPosition | undefined;
  /** How many websites match, counted no further than {@link COUNT_LIMIT}. */
  readonly total: number;
  readonly totalIsExact: boolean;
}

/** Counting stops here, so that a list of millions costs what a list of thousands does (decisions.md, "List"). */
export const COUNT_LIMIT = 10_000;

/** What a page is asked for by. */
export interface PageRequest {
  readonly order: WebsiteFilter['order'];
  readonly limit: number;
  readonly position: CursorPosition | undefined;
}

/** How websites are read away from a position: those whose key compares so with the position's, in this direction. */
export interface Walk {
  readonly key: 'address' | 'id';
  readonly compare: '>' | '<' | '>=' | '<=';
  readonly direction: 'asc' | 'desc';
}

/** The walks away from the position: over the websites of the page, and over those on its other side. */
export function walksOf({ order, position }: PageRequest): { readonly page: Walk; readonly other: Walk } {
  const key = order === 'newest_first' ? 'id' : 'address';
  const isAscending = order === 'address_asc';
  const ahead: Walk = isAscending ? { key, compare: '>', direction: 'asc' } : { key, compare: '<', direction: 'desc' };
  // The website at the position is on the near side.
  const back: Walk = isAscending ? { key, compare: '<=', direction: 'desc' } : { key, compare: '>=', direction: 'asc' };
  return position?.side === 'up_to' ? { page: back, other: ahead } : { page: ahead, other: back };
}

/** What the walks found. */
export interface Found {
  /** In the order of the page's walk: those of the page, and one more where there is one. */
  readonly websites: readonly Website[];
  /** The sort key of the first website on the other side of the position, where there is one. */
  readonly neighbour: string | undefined;
  /** How many websites the whole list has; {@link COUNT_LIMIT} + 1 stands for more than the limit. */
  readonly count: number;
}

/** The page that was asked for. */
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

/** What the order sorts by. */
export function sortKeyOf(website: Website, order: WebsiteFilter['order']): string {
  return order === 'newest_first' ? website.id : addressOf(website.url);
}
