import { compareBytes } from '../base/byte-order.ts';
import type { Reach } from '../websites/reach.ts';
import { listWebsites } from '../websites/use-cases.ts';
import type { WebsiteName } from '../websites/website-name.ts';
import type { CursorPosition, WebsitePage } from '../websites/website-page.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import { addressOf, foldCase, searchTextOf } from '../websites/website-url.ts';
import { type ShowWebsitesDependencies, showWebsites, type WebsiteNumbers } from './show-websites.ts';

/** So many websites are sorted by their numbers; longer lists are by address. */
export const MAX_SORTED = 500;

/** Addresses and labels are sorted as they are read. */
const COLLATOR = new Intl.Collator('en');

/** What a list of websites is sorted by, and which end comes first unless another is requested. */
export const OVERVIEW_SORTS = {
  visitors: 'desc',
  current: 'desc',
  change: 'desc',
  label: 'asc',
  address: 'asc',
} as const;
export type OverviewSort = keyof typeof OVERVIEW_SORTS;

export interface OverviewQuery {
  /** Plain text to find in addresses, in any letter case. */
  readonly search?: string | undefined;
  /** Only websites with this label. */
  readonly label?: string | undefined;
  readonly sort: OverviewSort;
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  readonly position: CursorPosition | undefined;
}

/** A website in a list, of one of several accounts. */
export interface OverviewRow<Owner extends Reach = Reach> {
  readonly owner: Owner;
  readonly website: WebsiteName;
  readonly numbers: WebsiteNumbers;
}

/** The sums over all websites of a list. */
export interface OverviewTotals {
  readonly websites: number;
  readonly visitors: number;
  /** Of the websites whose numbers can be compared, with their visitors now. */
  readonly before: number | undefined;
  readonly comparable: number;
  /** How many websites are silent. */
  readonly silent: number;
}

/** A page of websites with their numbers. */
export interface WebsitesOverview<Owner extends Reach = Reach> {
  readonly rows: readonly OverviewRow<Owner>[];
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly previous: CursorPosition | undefined;
  readonly next: CursorPosition | undefined;
  /** `undefined` if there are more than {@link MAX_SORTED} websites, which are sorted by address then, and have no labels to choose. */
  readonly whole: { readonly totals: OverviewTotals; readonly labels: readonly string[] } | undefined;
}

export interface OverviewDependencies extends ShowWebsitesDependencies {
  readonly websites: WebsiteRepository;
}

/** The websites of several accounts, with their numbers. */
export async function listOverview<Owner extends Reach>(
  deps: OverviewDependencies,
  owners: readonly Owner[],
  query: OverviewQuery,
): Promise<WebsitesOverview<Owner>> {
  const names = await Promise.all(
    owners.map(async (owner) =>
      (await deps.websites.names(owner, MAX_SORTED + 1)).map((website) => ({ owner, website })),
    ),
  );
  const all = names.flat();
  return all.length > MAX_SORTED ? listByAddress(deps, owners, query) : listSorted(deps, all, query);
}

async function listSorted<Owner extends Reach>(
  deps: OverviewDependencies,
  all: readonly Omit<OverviewRow<Owner>, 'numbers'>[],
  query: OverviewQuery,
): Promise<WebsitesOverview<Owner>> {
  const search = foldCase(query.search ?? '');
  const found = all.filter(
    ({ website: { url, label } }) =>
      (search === '' || searchTextOf(url).includes(search)) && (query.label === undefined || query.label === label),
  );
  const rows = await withNumbers(deps, found);
  const sorted = sortRows(rows, query);
  const from = Math.max(0, Math.trunc(Number(query.position?.key)) || 0);
  const at = (start: number): CursorPosition => ({ side: 'after', key: String(Math.max(0, start)) });
  const to = from + query.limit;
  const labels = new Set(all.flatMap(({ website: { label } }) => label ?? []));
  return {
    rows: sorted.slice(from, to),
    total: sorted.length,
    totalIsExact: true,
    previous: from > 0 ? at(from - query.limit) : undefined,
    next: to < sorted.length ? at(to) : undefined,
    whole: { totals: sumRows(rows), labels: [...labels].sort(compareBytes) },
  };
}

function sumRows(rows: readonly OverviewRow[]): OverviewTotals {
  const sum = (of: (numbers: WebsiteNumbers) => number) => rows.reduce((all, { numbers }) => all + of(numbers), 0);
  const isComparable = rows.some(({ numbers }) => numbers.before !== undefined);
  return {
    websites: rows.length,
    visitors: sum(({ visitors }) => visitors),
    before: isComparable ? sum(({ before = 0 }) => before) : undefined,
    comparable: sum(({ before, visitors }) => (before === undefined ? 0 : visitors)),
    silent: rows.filter(({ numbers }) => numbers.state === 'silent').length,
  };
}

async function withNumbers<Owner extends Reach>(
  deps: ShowWebsitesDependencies,
  rows: readonly Omit<OverviewRow<Owner>, 'numbers'>[],
): Promise<OverviewRow<Owner>[]> {
  const numbers = await showWebsites(
    deps,
    rows.map(({ website }) => website),
  );
  return rows.flatMap((row, index) => {
    const own = numbers[index];
    return own === undefined ? [] : { ...row, numbers: own };
  });
}

/** The address as people read it: it is stored in ASCII. */
function readAddress(url: string): string {
  return (searchTextOf(url).split('\n').at(-1) ?? '').replace(/^https?:\/\//, '');
}

/** Rows that have no value come last, and equal ones are by address. */
function sortRows<Row extends OverviewRow>(rows: readonly Row[], { sort, direction }: OverviewQuery): Row[] {
  const sign = direction === 'asc' ? 1 : -1;
  const keyed = rows.map((row) => ({ row, value: sortValueOf(row, sort), address: readAddress(row.website.url) }));
  keyed.sort((one, other) => {
    const byAddress = () => COLLATOR.compare(one.address, other.address);
    if (one.value === undefined || other.value === undefined) {
      return Number(one.value === undefined) - Number(other.value === undefined) || byAddress();
    }
    const order =
      typeof one.value === 'number' && typeof other.value === 'number'
        ? one.value - other.value
        : COLLATOR.compare(String(one.value), String(other.value));
    return sign * order || byAddress();
  });
  return keyed.map(({ row }) => row);
}

function sortValueOf({ website, numbers }: OverviewRow, sort: OverviewSort): number | string | undefined {
  switch (sort) {
    case 'visitors':
      return numbers.state === 'waiting' ? undefined : numbers.visitors;
    case 'current':
      return numbers.current;
    case 'change':
      return numbers.before === undefined ? undefined : numbers.visitors / numbers.before;
    case 'label':
      return website.label ?? undefined;
    case 'address':
      return readAddress(website.url);
  }
}

async function listByAddress<Owner extends Reach>(
  deps: OverviewDependencies,
  owners: readonly Owner[],
  { search = '', direction, sort, limit, position }: OverviewQuery,
): Promise<WebsitesOverview<Owner>> {
  const order = sort === 'address' && direction === 'desc' ? 'address_desc' : 'address_asc';
  const filter = { order, ...(search === '' ? {} : { search }) } as const;
  const pages = await Promise.all(
    owners.map(async (owner) => ({ owner, page: await listWebsites(deps, owner, filter, limit, position) })),
  );
  const { websites, ...page } = mergePages(pages, { limit, position, isAscending: order === 'address_asc' });
  return { ...page, rows: await withNumbers(deps, websites), whole: undefined };
}

interface MergedPage<Owner> extends Omit<WebsitePage, 'websites'> {
  readonly websites: readonly { readonly owner: Owner; readonly website: WebsiteName }[];
}

/** A page of the websites of several accounts. Those of one address stay together, so that no page divides them. */
function mergePages<Owner extends Reach>(
  pages: readonly { readonly owner: Owner; readonly page: WebsitePage }[],
  { limit, position, isAscending }: Pick<OverviewQuery, 'limit' | 'position'> & { readonly isAscending: boolean },
): MergedPage<Owner> {
  const sign = isAscending ? 1 : -1;
  const all = pages
    .flatMap(({ owner, page }) => page.websites.map((website) => ({ owner, website, key: addressOf(website.url) })))
    .toSorted((one, other) => sign * compareBytes(one.key, other.key));
  const isBack = position?.side === 'up_to';
  const edge = (isBack ? all.at(-limit) : all[limit - 1])?.key;
  const isWithin = (key: string) =>
    edge === undefined || (isBack ? sign * compareBytes(key, edge) >= 0 : sign * compareBytes(key, edge) <= 0);
  const websites = all.filter(({ key }) => isWithin(key));
  const isCut = websites.length < all.length;
  const last = websites.at(-1)?.key;
  const hasPrevious = (isBack && isCut) || pages.some(({ page }) => page.previous !== undefined);
  const hasNext = (!isBack && isCut) || pages.some(({ page }) => page.next !== undefined);
  const previousKeys = pages
    .flatMap(({ page }) => page.previous?.key ?? [])
    .toSorted((one, other) => sign * compareBytes(one, other));
  const previousKey = isBack && isCut ? all[all.length - websites.length - 1]?.key : previousKeys.at(-1);
  return {
    websites,
    previous: hasPrevious ? { side: 'up_to', key: previousKey ?? '' } : undefined,
    next: hasNext && last !== undefined ? { side: 'after', key: last } : undefined,
    total: pages.reduce((sum, { page }) => sum + page.total, 0),
    totalIsExact: pages.every(({ page }) => page.totalIsExact),
  };
}
