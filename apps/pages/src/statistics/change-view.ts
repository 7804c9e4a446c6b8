import type { AnnotationRepository } from '@hitherto/domain/annotations';
import { COMPARISONS, type Day } from '@hitherto/domain/calendar';
import type { CleanupRepository } from '@hitherto/domain/cleanups';
import { comparisonSentence, formatAddress, formatTime, formatValue } from '@hitherto/domain/format';
import type { Dimension, DroppedHitsRepository } from '@hitherto/domain/hits';
import {
  type ChangedPath,
  type Difference,
  type ExplainedChange,
  explainChange,
  findLeftOutDays,
  type LeftOutDependencies,
  listOwnChanges,
  mostImportant,
  type OwnChange,
} from '@hitherto/domain/insight';
import { findComparedDays, periodOf, withDays } from '@hitherto/domain/reading';
import type { AuditTrail, ReleaseRepository } from '@hitherto/domain/records';
import { valueFilter } from '@hitherto/domain/visits';
import { tellOwnChange } from '@hitherto/wire';
import type { Locale } from '@hitherto/words';
import { changePath } from '../shared/paths.ts';
import { type FooterView, type PageRead, readFooter, type StatisticsViewDependencies } from './read-view.ts';
import { hrefOf, type Selection, withFilter } from './selection.ts';

/** The content of the page that explains a change. */
export interface ChangeView {
  readonly address: string;
  readonly pagePath: string;
  readonly path: string;
  readonly within: string | undefined;
  readonly selection: Selection;
  readonly today: Day;
  readonly sentence: string;
  /** Which days are compared, and which are left out. */
  readonly compared: string;
  readonly without: string | undefined;
  readonly comparisons: readonly { readonly name: string; readonly href: string; readonly isChosen: boolean }[];
  readonly parts: readonly PartView[];
  readonly along: PartView | undefined;
  readonly ours: readonly { readonly at: string; readonly text: string }[];
  readonly footer: FooterView;
}

/** A table of the values of a dimension. */
export interface PartView {
  readonly title: string;
  readonly head: string;
  readonly rows: readonly ChangeRow[];
  readonly isAddedUp: boolean;
}

export interface ChangeRow extends Difference {
  readonly label: string;
  readonly href: string | undefined;
}

export interface ChangeViewDependencies extends StatisticsViewDependencies, Pick<LeftOutDependencies, 'maintenance'> {
  readonly droppedHits: DroppedHitsRepository;
  readonly annotations: AnnotationRepository;
  readonly audit: AuditTrail;
  readonly releases: ReleaseRepository;
  readonly cleanups: CleanupRepository;
}

type Explained = keyof Locale['words']['change']['metrics'];

/** Explains the change of the chosen number; of a rate, that of visits. */
export async function readChangeView(
  deps: ChangeViewDependencies,
  page: PageRead & { readonly accountId: string },
): Promise<ChangeView> {
  const { website, path: pagePath, selection, query, within, today, accountId, locale } = page;
  const { words } = locale;
  const { zone } = deps;
  const metric = explainedOf(selection);
  const comparison = selection.compare === 'year' ? 'year' : 'previous';
  const { days, explained, footer } = await deps.statistics.reading(periodOf(query, comparison), async (statistics) => {
    const days = await findComparedDays({ ...deps, statistics }, query, comparison);
    return {
      days,
      explained: await explainChange({ statistics }, metric, query, withDays(query, days)),
      footer: await readFooter({ ...deps, statistics }, website, within),
    };
  });
  const viewer = page.hasSettings ? 'settings' : page.isMember ? 'member' : 'guest';
  const key = { accountId, websiteId: website.id };
  const ours = await listOwnChanges(deps, key, query, withDays(query, days), viewer);
  const leftOut = await findLeftOutDays(deps, [withDays(query, days), query]);
  const tell = (own: OwnChange) => ({
    at: timeOf(locale, own, zone),
    text: tellOwnChange(own, periodOn(locale, today), locale),
  });
  const told = ours
    .filter((own) => 'dropped' in own)
    .map(tell)
    .map(({ at, text }) => `${at}: ${text}`);
  const path = changePath(pagePath);
  const filteredBy = (dimension: Dimension, value: string | null) => {
    const filtered = withFilter(selection, valueFilter(dimension, value));
    return filtered && hrefOf(path, filtered);
  };
  return {
    address: formatAddress(website.url),
    pagePath,
    path,
    within: within?.name,
    selection,
    today,
    sentence: [sentenceOf(locale, metric, explained), ...told].join(' '),
    compared: comparisonSentence(locale, days, zone, today),
    without:
      leftOut.length === 0
        ? undefined
        : words.change.without(locale.format.list(leftOut.map(({ from, to }) => locale.format.period(from, to, true)))),
    comparisons: COMPARISONS.map((each) => ({
      name: each === 'previous' ? words.change.withBefore : words.change.withYear,
      href: hrefOf(path, { ...selection, compare: each }),
      isChosen: each === comparison,
    })),
    parts: explained.parts
      .map(({ dimension, values, rest }) => ({
        title: locale.words.dimensions[dimension].many,
        head: locale.words.dimensions[dimension].one,
        rows: [
          ...values.map(({ value, before, after, change }) => ({
            label: formatValue(locale, dimension, value),
            href: filteredBy(dimension, value),
            before,
            after,
            change,
          })),
          ...(rest === null || isNothing(rest) ? [] : [{ label: words.values.others, href: undefined, ...rest }]),
        ],
        isAddedUp: rest !== null,
      }))
      // One value for all says nothing.
      .filter(({ rows }) => rows.length > 1),
    along: alongOf(locale, explained.along),
    ours: ours.map(tell),
    footer,
  };
}

function explainedOf({ metric }: Selection): Explained {
  return metric === 'bounce_rate' || metric === 'visit_duration' || metric === 'engaged_seconds' ? 'visits' : metric;
}

const periodOn =
  ({ format }: Locale, today: Day) =>
  (from: Day, to: Day) =>
    format.periodSeenOn(today, from, to);

function timeOf(locale: Locale, { at }: OwnChange, zone: ChangeViewDependencies['zone']): string {
  if (at === null) return '';
  return at instanceof Date ? formatTime(locale, zone, at) : locale.format.day(at);
}

function isNothing({ before, after }: Difference): boolean {
  return before === 0 && after === 0;
}

/** `300 fewer visits: 900 after 1,200. Source Google: 320 fewer, mostly with the entry page /prices.` */
function sentenceOf(
  locale: Locale,
  metric: Explained,
  { before, after, change, parts, along }: ExplainedChange,
): string {
  const { words, format } = locale;
  const noun = words.change.metrics[metric];
  if (change === 0) return words.change.same(after, noun);
  const tell = change > 0 ? words.change.more : words.change.fewer;
  const whole = tell(Math.abs(change), noun, format.count(after), format.count(before));
  const [part] = parts;
  const value = part && mostImportant(part.values, { change });
  if (part === undefined || part.rest === null || value === undefined) return whole;
  const [first] = along;
  const second = first?.path[1];
  const isMost =
    first !== undefined && first.change * change > 0 && Math.abs(first.change) * 2 > Math.abs(value.change);
  const tellPart = value.change > 0 ? words.change.partMore : words.change.partFewer;
  const own = tellPart(format.count(Math.abs(value.change)));
  const nameOf = (dimension: Dimension) => words.dimensions[dimension].one;
  const told =
    isMost && second !== undefined
      ? words.change.mostly(own, nameOf(second.dimension), formatValue(locale, second.dimension, second.value))
      : own;
  return `${whole} ${words.change.part(nameOf(part.dimension), formatValue(locale, part.dimension, value.value), told)}`;
}

function alongOf(locale: Locale, along: readonly ChangedPath[]): PartView | undefined {
  const [of, by] = along[0]?.path ?? [];
  if (of === undefined || by === undefined) return undefined;
  return {
    title: locale.words.change.by(
      formatValue(locale, of.dimension, of.value),
      locale.words.dimensions[by.dimension].one,
    ),
    head: locale.words.dimensions[by.dimension].one,
    rows: along.map(({ path: [, { dimension, value }], before, after, change }) => ({
      label: formatValue(locale, dimension, value),
      href: undefined,
      before,
      after,
      change,
    })),
    isAddedUp: true,
  };
}
