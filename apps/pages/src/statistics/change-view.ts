import type { AnnotationRepository } from '@hitherto/domain/annotations';
import type { Comparison, Day } from '@hitherto/domain/calendar';
import { comparisonSentence, countOf, formatAddress, formatTime, formatValue } from '@hitherto/domain/format';
import type { Dimension, DroppedHitsRepository } from '@hitherto/domain/hits';
import {
  type ChangedPath,
  type Difference,
  type ExplainedChange,
  explainChange,
  listOwnChanges,
  type OwnChange,
} from '@hitherto/domain/insight';
import { findComparedDays, periodOf, withDays } from '@hitherto/domain/reading';
import type { AuditTrail } from '@hitherto/domain/records';
import { valueFilter } from '@hitherto/domain/visits';
import { tellOwnChange } from '@hitherto/wire';
import { ENGLISH } from '@hitherto/words';
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
  /** Which days are compared. */
  readonly compared: string;
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

export interface ChangeViewDependencies extends StatisticsViewDependencies {
  readonly droppedHits: DroppedHitsRepository;
  readonly annotations: AnnotationRepository;
  readonly audit: AuditTrail;
}

const WORDS = {
  visitors: ['visitor', 'visitors'],
  visits: ['visit', 'visits'],
  pageviews: ['pageview', 'pageviews'],
} as const;

type Explained = keyof typeof WORDS;

/** Explains the change of the chosen number; of a rate, that of visits. */
export async function readChangeView(
  deps: ChangeViewDependencies,
  page: PageRead & { readonly accountId: string },
  comparison: Comparison,
): Promise<ChangeView> {
  const { website, path: pagePath, selection, query, within, today, accountId } = page;
  const { zone } = deps;
  const metric = explainedOf(selection);
  const { days, explained, footer } = await deps.statistics.reading(periodOf(query, comparison), async (statistics) => {
    const days = await findComparedDays({ ...deps, statistics }, query, comparison);
    return {
      days,
      explained: await explainChange({ statistics }, metric, query, withDays(query, days)),
      footer: await readFooter({ ...deps, statistics }, website, within),
    };
  });
  const viewer = page.hasSettings ? 'settings' : page.isOwner ? 'member' : 'guest';
  const key = { accountId, websiteId: website.id };
  const ours = await listOwnChanges(deps, key, selection, days, viewer);
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
    sentence: sentenceOf(metric, explained),
    compared: comparisonSentence(ENGLISH, days, zone, today),
    comparisons: (['previous', 'year'] as const).map((each) => ({
      name: each === 'previous' ? 'With the days before' : 'With a year earlier',
      href: hrefWith(hrefOf(path, selection), each),
      isChosen: each === comparison,
    })),
    parts: explained.parts
      .map(({ dimension, values, rest }) => ({
        title: ENGLISH.words.dimensions[dimension].many,
        head: ENGLISH.words.dimensions[dimension].one,
        rows: [
          ...values.map(({ value, before, after, change }) => ({
            label: formatValue(ENGLISH, dimension, value),
            href: filteredBy(dimension, value),
            before,
            after,
            change,
          })),
          ...(rest === null || isNothing(rest) ? [] : [{ label: 'All others', href: undefined, ...rest }]),
        ],
        isAddedUp: rest !== null,
      }))
      // One value for all says nothing.
      .filter(({ rows }) => rows.length > 1),
    along: alongOf(explained.along),
    ours: ours.map((own) => ({ at: timeOf(own, zone), text: tellOwnChange(own, periodOn(today)) })),
    footer,
  };
}

function explainedOf({ metric }: Selection): Explained {
  return metric === 'bounce_rate' || metric === 'visit_duration' ? 'visits' : metric;
}

const periodOn = (today: Day) => (from: Day, to: Day) => ENGLISH.format.periodSeenOn(today, from, to);

function timeOf({ at }: OwnChange, zone: ChangeViewDependencies['zone']): string {
  if (at === null) return '';
  return at instanceof Date ? formatTime(ENGLISH, zone, at) : ENGLISH.format.day(at);
}

function isNothing({ before, after }: Difference): boolean {
  return before === 0 && after === 0;
}

function hrefWith(href: string, comparison: Comparison): string {
  if (comparison === 'previous') return href;
  return `${href}${href.includes('?') ? '&' : '?'}compare=${comparison}`;
}

/** `300 fewer visits: 900 after 1,200. Google gave 320 fewer, mostly with the entry page /prices.` */
function sentenceOf(metric: Explained, { before, after, change, parts, along }: ExplainedChange): string {
  const [one, many] = WORDS[metric];
  if (change === 0) return `${countOf(after, one, many)}, as many as before.`;
  const whole = `${moreOrFewer(change)} ${Math.abs(change) === 1 ? one : many}: ${ENGLISH.format.count(after)} after ${ENGLISH.format.count(before)}.`;
  const [part] = parts;
  const value = part?.values.find((each) => each.change * change > 0);
  if (part === undefined || part.rest === null || value === undefined) return whole;
  const [first] = along;
  const second = first?.path[1];
  const isMost =
    first !== undefined && first.change * change > 0 && Math.abs(first.change) * 2 > Math.abs(value.change);
  const mostly =
    isMost && second !== undefined
      ? `, mostly with the ${ENGLISH.words.dimensions[second.dimension].one.toLowerCase()} ${formatValue(ENGLISH, second.dimension, second.value)}`
      : '';
  const name = `${ENGLISH.words.dimensions[part.dimension].one} ${formatValue(ENGLISH, part.dimension, value.value)}`;
  return `${whole} ${name}: ${moreOrFewer(value.change)}${mostly}.`;
}

function moreOrFewer(change: number): string {
  return `${ENGLISH.format.count(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'}`;
}

function alongOf(along: readonly ChangedPath[]): PartView | undefined {
  const [of, by] = along[0]?.path ?? [];
  if (of === undefined || by === undefined) return undefined;
  return {
    title: `${formatValue(ENGLISH, of.dimension, of.value)}, by ${ENGLISH.words.dimensions[by.dimension].one.toLowerCase()}`,
    head: ENGLISH.words.dimensions[by.dimension].one,
    rows: along.map(({ path: [, { dimension, value }], before, after, change }) => ({
      label: formatValue(ENGLISH, dimension, value),
      href: undefined,
      before,
      after,
      change,
    })),
    isAddedUp: true,
  };
}
