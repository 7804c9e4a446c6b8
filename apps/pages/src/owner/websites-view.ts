import { type AccessRepository, may, type Viewer } from '@hitherto/domain/access';
import { dayOf, namedPeriod, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { formatAddress } from '@hitherto/domain/format';
import { showSeries } from '@hitherto/domain/reading';
import {
  addressOf,
  type CursorPosition,
  listWebsites,
  type Privacy,
  type Website,
  type WebsitePage,
  type WebsiteRepository,
} from '@hitherto/domain/websites';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';
import { HOME } from '../shared/paths.ts';
import { seesPage } from './header.ts';

const PAGE_LENGTH = 20;
const MAX_SEARCH_LENGTH = 255;
/** Addresses are stored in ASCII, and read with letters of all languages. */
const COLLATOR = new Intl.Collator('en');

export interface WebsiteRow {
  readonly id: string;
  /** The name of its account, where the list has several. */
  readonly account: string | undefined;
  /** Whether its settings may be seen. */
  readonly hasSettings: boolean;
  readonly address: string;
  readonly privacy: Privacy;
  /** Of the last 28 days, today included. */
  readonly visitors: number;
  readonly days: readonly number[];
}

/** The list of websites of somebody's accounts, as it is shown. */
export interface WebsitesView {
  readonly accounts: readonly AccountLink[];
  readonly rows: readonly WebsiteRow[];
  readonly search: string;
  /** For people: `25`, or `more than 10000`. */
  readonly total: string;
  readonly previousHref: string | undefined;
  readonly nextHref: string | undefined;
  readonly canAdd: boolean;
  readonly isReadOnly: boolean;
}

/** An account of somebody who is in several. */
export interface AccountLink {
  readonly id: string;
  readonly name: string;
  readonly isShown: boolean;
}

export interface WebsitesViewDependencies {
  readonly access: AccessRepository;
  readonly websites: WebsiteRepository;
  readonly statistics: StatisticsRepository;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/**
 * A page of the websites of all accounts, or of the one that the query names: pages by the stored address, and each by the address
 * as it is read. A faulty search, cursor or account counts as none.
 */
export async function readWebsitesView(
  deps: WebsitesViewDependencies,
  viewers: readonly Viewer[],
  query: URLSearchParams,
): Promise<WebsitesView> {
  const search = readSearch(query.get('search'));
  const named = viewers.filter(({ accountId }) => accountId === query.get('account'));
  const shown = named.length === 0 ? viewers : named;
  const names = new Map(
    viewers.length < 2
      ? []
      : await Promise.all(
          viewers.map(async ({ accountId }) => [accountId, (await deps.access.findAccount(accountId))?.name] as const),
        ),
  );
  const page = await readPage(deps, shown, search, readPosition(query.get('cursor')));
  const rows = await Promise.all(
    page.websites.map(async ({ viewer, website: { id, url, privacy, timeZone } }): Promise<WebsiteRow> => {
      const zone = zoneOf({ timeZone }, deps.zone);
      const series = { websiteId: id, ...namedPeriod('28d', dayOf(zone, deps.now())), filters: [] };
      const days = (await showSeries({ ...deps, zone }, series, 'day')).map(({ visitors }) => visitors);
      return {
        id,
        account: names.get(viewer.accountId),
        hasSettings: seesPage(viewer, 'settings'),
        address: formatAddress(url),
        privacy,
        visitors: days.reduce((sum, day) => sum + day, 0),
        days,
      };
    }),
  );
  const linkTo = (position: CursorPosition) => {
    const parameters = { search, cursor: encodeCursor([position.side, position.key]) };
    return `${HOME}?${new URLSearchParams(named[0] === undefined ? parameters : { ...parameters, account: named[0].accountId })}`;
  };
  return {
    accounts: viewers.flatMap((viewer) => {
      const { accountId: id } = viewer;
      const name = names.get(id);
      return name === undefined ? [] : [{ id, name, isShown: named.includes(viewer) }];
    }),
    rows: rows.toSorted((one, other) => COLLATOR.compare(one.address, other.address)),
    search,
    total: page.totalIsExact ? String(page.total) : `more than ${page.total}`,
    previousHref: page.previous && linkTo(page.previous),
    nextHref: page.next && linkTo(page.next),
    canAdd: shown.some((viewer) => may(viewer, 'add_and_delete_websites')),
    isReadOnly: viewers.every(({ scope }) => scope === 'read'),
  };
}

interface Page extends Omit<WebsitePage, 'websites'> {
  readonly websites: readonly { readonly viewer: Viewer; readonly website: Website }[];
}

/** A page of the websites of several viewers. Those of one address stay together, so that no page divides them. */
async function readPage(
  deps: WebsitesViewDependencies,
  viewers: readonly Viewer[],
  search: string,
  position: CursorPosition | undefined,
): Promise<Page> {
  const filter = { order: 'address_asc', ...(search === '' ? {} : { search }) } as const;
  const pages = await Promise.all(
    viewers.map(async (viewer) => ({
      viewer,
      page: await listWebsites(deps, viewer, filter, PAGE_LENGTH, position),
    })),
  );
  const all = pages
    .flatMap(({ viewer, page }) => page.websites.map((website) => ({ viewer, website, key: addressOf(website.url) })))
    .toSorted((one, other) => (one.key === other.key ? 0 : one.key < other.key ? -1 : 1));
  const isBack = position?.side === 'up_to';
  const edge = (isBack ? all.at(-PAGE_LENGTH) : all[PAGE_LENGTH - 1])?.key;
  const websites = edge === undefined ? all : all.filter(({ key }) => (isBack ? key >= edge : key <= edge));
  const isCut = websites.length < all.length;
  const last = websites.at(-1)?.key;
  const hasPrevious = (isBack && isCut) || pages.some(({ page }) => page.previous !== undefined);
  const hasNext = (!isBack && isCut) || pages.some(({ page }) => page.next !== undefined);
  const previousKeys = pages.map(({ page }) => page.previous?.key ?? '').toSorted();
  return {
    websites,
    previous: !hasPrevious
      ? undefined
      : {
          side: 'up_to',
          key: isBack && isCut ? (all[all.length - websites.length - 1]?.key ?? '') : (previousKeys.at(-1) ?? ''),
        },
    next: hasNext && last !== undefined ? { side: 'after', key: last } : undefined,
    total: pages.reduce((sum, { page }) => sum + page.total, 0),
    totalIsExact: pages.every(({ page }) => page.totalIsExact),
  };
}

function readSearch(text: string | null): string {
  return text === null || [...text].length > MAX_SEARCH_LENGTH || text.includes('\0') ? '' : text;
}

function readPosition(text: string | null): CursorPosition | undefined {
  const [side, key] = decodeCursor(text);
  if ((side !== 'after' && side !== 'up_to') || typeof key !== 'string' || /[\0\p{Cs}]/u.test(key)) return undefined;
  return { side, key };
}
