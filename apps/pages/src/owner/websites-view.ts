import { type AccessRepository, may, type Viewer } from '@hitherto/domain/access';
import { formatWithOffset, zoneOf } from '@hitherto/domain/calendar';
import type { OpenFindings } from '@hitherto/domain/checks';
import { changeOf, type FigureChange, formatAddress } from '@hitherto/domain/format';
import { showWebsiteSigns, type WebsiteSigns, type WebsiteSignsDependencies } from '@hitherto/domain/insight';
import {
  hoursSince,
  listOverview,
  OVERVIEW_SORTS,
  type OverviewDependencies,
  type OverviewQuery,
  type OverviewRow,
  type OverviewSort,
  type OverviewTotals,
  type ShowWebsiteGoalsDependencies,
  showWebsiteGoals,
  type WebsiteGoal,
  type WebsitesOverview,
} from '@hitherto/domain/reading';
import type { CursorPosition } from '@hitherto/domain/websites';
import type { Locale } from '@hitherto/words';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';
import { HOME, OVERVIEW_CSV } from '../shared/paths.ts';
import { seesPage } from './website-pages.ts';

const PAGE_LENGTH = 50;
const MAX_SEARCH_LENGTH = 255;

export interface WebsiteRow {
  readonly id: string;
  /** The name of its account, where the list has several. */
  readonly account: string | undefined;
  /** Whether its settings may be seen. */
  readonly hasSettings: boolean;
  readonly address: string;
  readonly label: string | undefined;
  readonly visitors: number;
  readonly isAtMost: boolean;
  readonly change: FigureChange | undefined;
  /** Of the 27 days before today. */
  readonly days: readonly number[];
  readonly current: number;
  readonly isWaiting: boolean;
  /** The hours since the last hit of a website that usually has more. */
  readonly silentHours: number | undefined;
  /** When an alert of a spike fired today, as a time of day. */
  readonly spikeAt: string | undefined;
  /** Open findings of the checks. */
  readonly findings: OpenFindings | undefined;
  /** The first one. */
  readonly goal: WebsiteGoal | undefined;
}

/** A head of a column, which sorts by it. */
interface SortLink {
  readonly sort: OverviewSort;
  readonly href: string;
  /** The direction, of the column by which the list is sorted. */
  readonly direction: 'ascending' | 'descending' | undefined;
}

/** The list of websites of somebody's accounts, as it is shown. */
export interface WebsitesView {
  readonly accounts: readonly AccountLink[];
  readonly rows: readonly WebsiteRow[];
  /** `undefined` where there are too many websites to add up. */
  readonly totals: OverviewTotals | undefined;
  readonly totalChange: FigureChange | undefined;
  readonly search: string;
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly sorts: readonly SortLink[];
  readonly isByLabel: boolean;
  readonly labels: readonly LabelLink[];
  /** Of the chosen label, for the form of the search. */
  readonly label: string | undefined;
  readonly csvHref: string;
  readonly previousHref: string | undefined;
  readonly nextHref: string | undefined;
  readonly canAdd: boolean;
  readonly isReadOnly: boolean;
}

/** An account of somebody who is in several. */
interface AccountLink {
  readonly id: string;
  readonly name: string;
  readonly isShown: boolean;
}

interface LabelLink {
  /** `undefined` stands for all websites. */
  readonly label: string | undefined;
  readonly href: string;
  readonly isShown: boolean;
}

export interface WebsitesViewDependencies
  extends OverviewDependencies,
    ShowWebsiteGoalsDependencies,
    WebsiteSignsDependencies {
  readonly access: AccessRepository;
}

/** What a query asks for. A faulty search, cursor, sort, label or account counts as none. */
function readQuery(viewers: readonly Viewer[], query: URLSearchParams) {
  const named = viewers.filter(({ accountId }) => accountId === query.get('account'));
  const shown = named.length === 0 ? viewers : named;
  const sort = SORTS.find((name) => name === query.get('sort')) ?? 'visitors';
  const direction = DIRECTIONS.find((name) => name === query.get('order')) ?? OVERVIEW_SORTS[sort];
  const asked: OverviewQuery = {
    search: readText(query.get('search')),
    // Viewers who see no settings must not find out labels.
    label: shown.every((viewer) => may(viewer, 'see_settings')) ? readText(query.get('label')) : undefined,
    sort,
    direction,
    limit: PAGE_LENGTH,
    position: readPosition(query.get('cursor')),
  };
  return { shown, account: named[0]?.accountId, asked };
}

const SORTS = Object.keys(OVERVIEW_SORTS) as OverviewSort[];
const DIRECTIONS = ['asc', 'desc'] as const;

/** All websites that a query asks for, without pages. */
export function readOverview(
  deps: OverviewDependencies,
  viewers: readonly Viewer[],
  query: URLSearchParams,
  limit: number,
): Promise<WebsitesOverview<Viewer>> {
  const { shown, asked } = readQuery(viewers, query);
  return listOverview(deps, shown, { ...asked, limit, position: undefined });
}

/** A page of the websites of all accounts, or of the one that the query names. */
export async function readWebsitesView(
  deps: WebsitesViewDependencies,
  viewers: readonly Viewer[],
  query: URLSearchParams,
  locale: Locale,
): Promise<WebsitesView> {
  const { shown, account, asked } = readQuery(viewers, query);
  const names = await accountNames(deps, viewers);
  const page = await listOverview(deps, shown, asked);
  const [goals, signs] = await Promise.all([showWebsiteGoals(deps, page.rows), showWebsiteSigns(deps, page.rows)]);
  const hrefOf = (changes: Readonly<Record<string, string | undefined>>, path = HOME) => {
    const { search, label, sort, direction } = asked;
    const byDefault = direction === OVERVIEW_SORTS[sort];
    const kept = {
      ...{ search, label, account },
      sort: sort === 'visitors' && byDefault ? undefined : sort,
      order: byDefault ? undefined : direction,
    };
    const chosen = Object.entries({ ...kept, ...changes }).flatMap(([name, value]) => (value ? [[name, value]] : []));
    return chosen.length === 0 ? path : `${path}?${new URLSearchParams(chosen)}`;
  };
  const linkTo = (position: CursorPosition | undefined) =>
    position && hrefOf({ cursor: encodeCursor([position.side, position.key]) });
  const totals = page.whole?.totals;
  const seesLabels = shown.every((viewer) => may(viewer, 'see_settings'));
  const labels = seesLabels ? (page.whole?.labels ?? []) : [];
  return {
    accounts: viewers.flatMap(({ accountId: id }) => {
      const name = names.get(id);
      return name === undefined ? [] : [{ id, name, isShown: id === account }];
    }),
    rows: page.rows.map((row, index) =>
      toRow(deps, locale, row, {
        goal: goals[index]?.[0],
        account: names.get(row.owner.accountId),
        signs: signs[index],
      }),
    ),
    totals,
    totalChange: totals && changeOf(locale, 'visitors', totals.comparable, totals.before ?? null),
    search: asked.search ?? '',
    total: page.total,
    totalIsExact: page.totalIsExact,
    sorts: SORTS.map((sort) => sortLink(asked, sort, hrefOf)),
    isByLabel: asked.sort === 'label',
    labels:
      labels.length === 0
        ? []
        : [undefined, ...labels].map((label) => ({ label, href: hrefOf({ label }), isShown: label === asked.label })),
    label: asked.label,
    csvHref: hrefOf({}, OVERVIEW_CSV),
    previousHref: linkTo(page.previous),
    nextHref: linkTo(page.next),
    canAdd: shown.some((viewer) => may(viewer, 'add_and_delete_websites')),
    isReadOnly: viewers.length > 0 && viewers.every(({ scope }) => scope === 'read'),
  };
}

/** The names of the accounts of somebody who is in several. */
async function accountNames({ access }: Pick<WebsitesViewDependencies, 'access'>, viewers: readonly Viewer[]) {
  if (viewers.length < 2) return new Map<string, string | undefined>();
  const names = viewers.map(async ({ accountId }) => [accountId, (await access.findAccount(accountId))?.name] as const);
  return new Map(await Promise.all(names));
}

/** The link of a column sorts by it, and the other way round where that is so already. */
function sortLink(
  asked: OverviewQuery,
  sort: OverviewSort,
  hrefOf: (changes: Readonly<Record<string, string | undefined>>) => string,
): SortLink {
  const isSorted = asked.sort === sort;
  const turned = asked.direction === 'asc' ? 'desc' : 'asc';
  const order = isSorted && turned !== OVERVIEW_SORTS[sort] ? turned : undefined;
  const href = hrefOf({ sort: sort === 'visitors' && order === undefined ? undefined : sort, order });
  return { sort, href, direction: isSorted ? (asked.direction === 'asc' ? 'ascending' : 'descending') : undefined };
}

function toRow(
  { now, zone: installation }: Pick<WebsitesViewDependencies, 'now' | 'zone'>,
  locale: Locale,
  { owner, website, numbers }: OverviewRow<Viewer>,
  { goal, account, signs }: Pick<WebsiteRow, 'goal' | 'account'> & { readonly signs: WebsiteSigns | undefined },
): WebsiteRow {
  const { visitors, before, days, current, isAtMost, state, lastHit } = numbers;
  const hasSettings = seesPage(owner, 'settings');
  return {
    id: website.id,
    account,
    hasSettings,
    address: formatAddress(website.url),
    label: hasSettings ? (website.label ?? undefined) : undefined,
    ...{ visitors, current, isAtMost, goal },
    spikeAt: signs?.spikeAt && formatWithOffset(zoneOf(website, installation), signs.spikeAt).slice(11, 16),
    findings: signs?.findings,
    change: changeOf(locale, 'visitors', visitors, before ?? null),
    days: days.slice(0, -1),
    isWaiting: state === 'waiting',
    silentHours: state === 'silent' && lastHit !== undefined ? hoursSince(lastHit, now()) : undefined,
  };
}

function readText(text: string | null): string | undefined {
  return text === null || text === '' || [...text].length > MAX_SEARCH_LENGTH || /[\0\p{Cs}]/u.test(text)
    ? undefined
    : text;
}

function readPosition(text: string | null): CursorPosition | undefined {
  const [side, key] = decodeCursor(text);
  if ((side !== 'after' && side !== 'up_to') || typeof key !== 'string' || /[\0\p{Cs}]/u.test(key)) return undefined;
  return { side, key };
}
