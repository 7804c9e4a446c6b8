import { dayOf, namedPeriod, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { formatAddress } from '@hitherto/domain/format';
import { showSeries } from '@hitherto/domain/reading';
import {
  type CursorPosition,
  listWebsites,
  type Privacy,
  type Reach,
  type WebsiteRepository,
} from '@hitherto/domain/websites';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';
import { HOME } from '../shared/paths.ts';

const PAGE_LENGTH = 20;
const MAX_SEARCH_LENGTH = 255;
/** Addresses are stored in ASCII, and read with letters of all languages. */
const COLLATOR = new Intl.Collator('en');

export interface WebsiteRow {
  readonly id: string;
  readonly address: string;
  readonly privacy: Privacy;
  /** Of the last 28 days, today included. */
  readonly visitors: number;
  readonly days: readonly number[];
}

/** The list of an account's websites, as it is shown. */
export interface WebsitesView {
  readonly rows: readonly WebsiteRow[];
  readonly search: string;
  /** For people: `25`, or `more than 10000`. */
  readonly total: string;
  readonly previousHref: string | undefined;
  readonly nextHref: string | undefined;
  readonly canWrite: boolean;
}

export interface WebsitesViewDependencies {
  readonly websites: WebsiteRepository;
  readonly statistics: StatisticsRepository;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/** A page of the websites: pages by the stored address, and each by the address as it is read. A faulty search or cursor counts as none. */
export async function readWebsitesView(
  deps: WebsitesViewDependencies,
  reach: Reach,
  query: URLSearchParams,
  canWrite: boolean,
): Promise<WebsitesView> {
  const search = readSearch(query.get('search'));
  const filter = { order: 'address_asc', ...(search === '' ? {} : { search }) } as const;
  const page = await listWebsites(deps, reach, filter, PAGE_LENGTH, readPosition(query.get('cursor')));
  const rows = await Promise.all(
    page.websites.map(async ({ id, url, privacy, timeZone }): Promise<WebsiteRow> => {
      const zone = zoneOf({ timeZone }, deps.zone);
      const series = { websiteId: id, ...namedPeriod('28d', dayOf(zone, deps.now())), filters: [] };
      const days = (await showSeries({ ...deps, zone }, series, 'day')).map(({ visitors }) => visitors);
      return { id, address: formatAddress(url), privacy, visitors: days.reduce((sum, day) => sum + day, 0), days };
    }),
  );
  const linkTo = (position: CursorPosition) =>
    `${HOME}?${new URLSearchParams({ search, cursor: encodeCursor([position.side, position.key]) })}`;
  return {
    rows: rows.toSorted((one, other) => COLLATOR.compare(one.address, other.address)),
    search,
    total: page.totalIsExact ? String(page.total) : `more than ${page.total}`,
    previousHref: page.previous && linkTo(page.previous),
    nextHref: page.next && linkTo(page.next),
    canWrite,
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
