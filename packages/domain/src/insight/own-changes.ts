import type { AnnotationRepository } from '../annotations/annotation-repository.ts';
import { addDays, type Day, daysOf, type Period } from '../calendar/days.ts';
import { dayOf, endOfDay, startOfDay, type TimeZone } from '../calendar/time-zone.ts';
import type { AuditChange, AuditEntry } from '../changes/entry.ts';
import type { CleanupRepository } from '../cleanups/cleanup-repository.ts';
import { readCleaned } from '../cleanups/read-cleaned.ts';
import type { StatisticsQuery, StatisticsRepository } from '../engine/statistics-repository.ts';
import type { DroppedHitsRepository } from '../hits/dropped-hits.ts';
import type { DropReason } from '../hits/hit.ts';
import type { ImportRepository } from '../imports/import-repository.ts';
import { type ImportedPeriod, importedPeriods } from '../imports/imported-periods.ts';
import type { AuditPosition, AuditTrail } from '../records/audit-trail.ts';
import type { CountingLists, ReleaseRepository } from '../records/release.ts';
import type { WebsiteKey } from '../websites/website-key.ts';

/** Something in the compared days that changes numbers without a change of visits, or that somebody noted. */
export type OwnChange =
  | {
      readonly kind: 'setting' | 'zone';
      readonly at: Date;
      readonly change: AuditChange;
      /** How many hits were dropped since, only because of it. */
      readonly dropped?: number;
    }
  | {
      readonly kind: 'cleanup';
      readonly at: Date;
      readonly name: string;
      /** How many visits it hides of the compared days and those of the query; `null` of one that was undone. */
      readonly hidden: { readonly before: number; readonly after: number } | null;
    }
  | {
      readonly kind: 'release';
      readonly at: Date;
      readonly version: string;
      /** The lists that are not those from before. */
      readonly lists: readonly (keyof CountingLists)[];
    }
  | { readonly kind: 'import'; readonly at: Day; readonly imported: ImportedPeriod }
  | { readonly kind: 'annotation'; readonly at: Day; readonly text: string }
  | { readonly kind: 'silence'; readonly at: Day; readonly to: Day }
  | {
      readonly kind: 'dropped';
      readonly at: null;
      readonly reason: DropReason;
      readonly before: number;
      readonly after: number;
    };

export interface OwnChangeDependencies {
  readonly statistics: Pick<StatisticsRepository, 'series' | 'firstDay' | 'totals' | 'hidingRules'>;
  readonly droppedHits: Pick<DroppedHitsRepository, 'byReason'>;
  readonly imports: Pick<ImportRepository, 'importedDays'>;
  readonly annotations: Pick<AnnotationRepository, 'list'>;
  readonly audit: Pick<AuditTrail, 'list'>;
  readonly cleanups: Pick<CleanupRepository, 'list'>;
  readonly releases: Pick<ReleaseRepository, 'list'>;
  /** The website's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/** The settings that decide which hits count, and how. */
const COUNTING: ReadonlySet<string> = new Set([
  'url',
  'excludeBots',
  'excludedParams',
  'pageRules',
  'excludedIps',
  'timeZone',
  'aliases',
]);

/** How many entries of the audit trail are read at a time, and how often: more are the noise of a script. */
const MAX_ENTRIES = 100;
const MAX_READS = 20;

/** Guests see what everyone may, members all but settings, and some of them also these. */
export type OwnChangeViewer = 'guest' | 'member' | 'settings';

/** Changes and notes of the owner in the days of both queries, and changes between them, in order of time, dropped hits last. */
export async function listOwnChanges(
  deps: OwnChangeDependencies,
  website: WebsiteKey,
  after: StatisticsQuery,
  before: StatisticsQuery,
  viewer: OwnChangeViewer,
): Promise<OwnChange[]> {
  const days = [before.from, before.to, after.from, after.to].sort();
  const span = { from: days[0] ?? after.from, to: days.at(-1) ?? after.to };
  // What goes on from one into the other is listed once.
  const isApart = addDays(before.to, 1) < after.from || after.to < before.from;
  const periods = isApart ? [before, after] : [span];
  if (viewer === 'guest') {
    const noted = await Promise.all(periods.map((period) => findAnnotations(deps, website, period, true)));
    return noted.flat();
  }
  const [dropped, ...found] = await Promise.all([
    findDropped(deps, website, before, after),
    // A change between the two has an effect on the later one.
    viewer === 'settings' ? findSettings(deps, website, span) : [],
    findCleanups(deps, website, after, before),
    findReleases(deps, span),
    ...periods.map((period) => findImports(deps, website, period)),
    ...periods.map((period) => findAnnotations(deps, website, period, false)),
    ...periods.map((period) => findSilence(deps, website, period)),
  ]);
  return [...found.flat().sort((a, b) => momentOf(deps.zone, a) - momentOf(deps.zone, b)), ...dropped];
}

function momentOf(zone: TimeZone, { at }: OwnChange): number {
  if (at === null) return Number.POSITIVE_INFINITY;
  return (typeof at === 'string' ? startOfDay(zone, at) : at).getTime();
}

/** The changes of settings, and what was dropped since bots were excluded: without that, none of it was. */
async function findSettings(
  deps: OwnChangeDependencies,
  website: WebsiteKey,
  period: Period,
): Promise<readonly OwnChange[]> {
  const recorded = await findRecorded(deps, website, period);
  return Promise.all(
    recorded.map(async (own) => {
      const isExclusion = own.kind === 'setting' && own.change.field === 'excludeBots' && 'after' in own.change;
      if (!isExclusion || own.change.after !== true) return own;
      const rows = await deps.droppedHits.byReason(website.websiteId, dayOf(deps.zone, own.at), period.to);
      const ofBots = rows.filter(({ reason }) => reason === 'bot' || reason === 'spam_referrer');
      return { ...own, dropped: ofBots.reduce((sum, { hits }) => sum + hits, 0) };
    }),
  );
}

async function findRecorded(
  { audit, zone }: OwnChangeDependencies,
  { accountId, websiteId }: WebsiteKey,
  { from, to }: Period,
): Promise<OwnChange[]> {
  const filter = { websiteId, from: startOfDay(zone, from), until: endOfDay(zone, to) };
  const found: OwnChange[] = [];
  let last: AuditPosition | undefined;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const { entries, hasMore } = await audit.list({ accountId, websiteIds: [websiteId] }, filter, MAX_ENTRIES, last);
    found.push(...entries.flatMap(toOwnChanges));
    last = entries.at(-1);
    if (!hasMore) break;
  }
  return found;
}

function toOwnChanges({ action, at, subject, changes }: AuditEntry): OwnChange[] {
  if (action === 'cleanup.deleted') return [{ kind: 'cleanup', at, name: subject.name ?? '', hidden: null }];
  if (action !== 'website.updated') return [];
  return changes
    .filter(({ field }) => COUNTING.has(field))
    .map((change) => ({ kind: change.field === 'timeZone' ? 'zone' : 'setting', at, change }));
}

/** The versions with other lists than the one before; the first one has changed nothing. */
async function findReleases({ releases, zone }: OwnChangeDependencies, { from, to }: Period): Promise<OwnChange[]> {
  const all = await releases.list();
  return all.flatMap(({ version, at, ...lists }, index) => {
    const earlier = all[index - 1];
    const day = dayOf(zone, at);
    if (earlier === undefined || day < from || to < day) return [];
    const changed = LISTS.filter((list) => lists[list] !== earlier[list]);
    return changed.length === 0 ? [] : [{ kind: 'release', at, version, lists: changed }];
  });
}

const LISTS = ['bots', 'sources'] as const satisfies readonly (keyof CountingLists)[];

/** The cleanups that hide visits of either query, which are as many as are missing from its numbers. */
async function findCleanups(
  deps: OwnChangeDependencies,
  website: WebsiteKey,
  query: StatisticsQuery,
  compared: StatisticsQuery,
): Promise<OwnChange[]> {
  const [after, before] = await Promise.all([query, compared].map((each) => readCleaned(deps, website, each)));
  const visits = (of: typeof after, wanted: string) => of?.find(({ id }) => id === wanted)?.visits ?? 0;
  const cleanups = (await deps.cleanups.list(website)) ?? [];
  return cleanups
    .map(({ id, name, createdAt }) => {
      const hidden = { before: visits(before, id), after: visits(after, id) };
      return { kind: 'cleanup', at: createdAt, name, hidden } as const;
    })
    .filter(({ hidden }) => hidden.before > 0 || hidden.after > 0);
}

async function findImports(
  deps: OwnChangeDependencies,
  { websiteId }: WebsiteKey,
  period: Period,
): Promise<OwnChange[]> {
  const imported = await importedPeriods(deps, websiteId, period);
  return imported.map((each) => ({ kind: 'import', at: each.from, imported: each }));
}

async function findAnnotations(
  { annotations }: OwnChangeDependencies,
  website: WebsiteKey,
  period: Period,
  onlyPublic: boolean,
): Promise<OwnChange[]> {
  const found = (await annotations.list(website, period)) ?? [];
  return found
    .filter(({ isPublic }) => isPublic || !onlyPublic)
    .map(({ day, text }) => ({ kind: 'annotation', at: day, text }));
}

/** Days between the first hit and today that have none, as periods. */
async function findSilence(
  { statistics, zone, now }: OwnChangeDependencies,
  { websiteId }: WebsiteKey,
  { from, to }: Period,
): Promise<OwnChange[]> {
  const first = await statistics.firstDay(websiteId);
  if (first === undefined) return [];
  const query: StatisticsQuery = { websiteId, from, to, filters: [], hidden: 'include' };
  const counted = new Set((await statistics.series(query, 'day')).map(({ start }) => start));
  const today = dayOf(zone, now());
  const silences: { kind: 'silence'; at: Day; to: Day }[] = [];
  for (const day of daysOf(from, to)) {
    if (day < first || day >= today || counted.has(day)) continue;
    const last = silences.at(-1);
    if (last !== undefined && addDays(last.to, 1) === day) last.to = day;
    else silences.push({ kind: 'silence', at: day, to: day });
  }
  return silences;
}

/** The reasons for which more or fewer hits were dropped, the largest difference first. */
async function findDropped(
  { droppedHits }: OwnChangeDependencies,
  { websiteId }: WebsiteKey,
  before: Period,
  after: Period,
): Promise<OwnChange[]> {
  const [had, has] = await Promise.all(
    [before, after].map(async ({ from, to }) => {
      const rows = await droppedHits.byReason(websiteId, from, to);
      return new Map(rows.map(({ reason, hits }) => [reason, hits]));
    }),
  );
  const reasons = [...new Set([...(has?.keys() ?? []), ...(had?.keys() ?? [])])];
  return reasons
    .map((reason) => ({ reason, before: had?.get(reason) ?? 0, after: has?.get(reason) ?? 0 }))
    .filter(({ before: one, after: other }) => one !== other)
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
    .map((numbers) => ({ kind: 'dropped', at: null, ...numbers }));
}
