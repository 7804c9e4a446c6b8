import { may } from '@hitherto/domain/access';
import type { AnnotationRepository } from '@hitherto/domain/annotations';
import { COMPARISONS, formatWithOffset, type Period, readPeriod } from '@hitherto/domain/calendar';
import type { CountedGoal } from '@hitherto/domain/engine';
import {
  CHANGE_METRICS,
  type ChangeMetric,
  type ChangePart,
  type Counted,
  type Difference,
  explainChange,
  findLeftOutDays,
  type LeftOutDependencies,
  listOwnChanges,
} from '@hitherto/domain/insight';
import { findComparedDays, periodOf, withDays } from '@hitherto/domain/reading';
import type { AuditTrail, ReleaseRepository } from '@hitherto/domain/records';
import type { WebsiteDependencies } from '@hitherto/domain/websites';
import type { WireFault } from '@hitherto/http';
import { writeOwnChange } from '@hitherto/wire';
import type { FastifyInstance } from 'fastify';
import { viewerOf } from '../requests/authentication.ts';
import { type Asked, rejectFaults, resolveAsked } from '../statistics/read-query.ts';
import { metaOf } from '../statistics/resources.ts';
import { type StatisticsDependencies, websiteReads } from '../statistics/routes.ts';
import { CHANGE_QUERY, documentedChange } from './schemas.ts';

export interface InsightDependencies extends StatisticsDependencies, Pick<LeftOutDependencies, 'maintenance'> {
  readonly annotations: AnnotationRepository;
  readonly audit: AuditTrail;
  readonly releases: ReleaseRepository;
}

/** Why a number changed (api.md, "Statistics"), in the authenticated scope. */
export function insightRoutes(
  app: FastifyInstance,
  deps: InsightDependencies & Pick<WebsiteDependencies, 'websites' | 'now'>,
): void {
  const { get, asked } = websiteReads(app, deps);

  get('/change', documentedChange, (request, zone) => {
    const wanted = asked(request, zone, CHANGE_QUERY);
    const comparison = readComparison(wanted);
    const metric = CHANGE_METRICS.find((name) => name === wanted.query.metric) ?? 'visitors';
    const needsGoal = metric === 'conversions' && wanted.query.conversion === undefined;
    rejectFaults([...wanted.faults, ...comparison.faults, ...(needsGoal ? [GOAL_MISSING] : [])]);
    const viewer = viewerOf(request);
    return async (website) => {
      const { query, conversion } = await resolveAsked(deps, website, wanted);
      const period = periodOf(query, comparison.comparison);
      const { days, compared, explained } = await deps.statistics.reading(period, async (statistics) => {
        const days = await findComparedDays({ ...deps, statistics, zone }, query, comparison.comparison);
        const compared = withDays(query, days);
        return {
          ...{ days, compared },
          explained: await explainChange({ statistics }, countedOf(metric, conversion), query, compared),
        };
      });
      const [ours, leftOut] = await Promise.all([
        listOwnChanges(
          { ...deps, zone },
          website,
          query,
          compared,
          may(viewer, 'see_settings') ? 'settings' : 'member',
        ),
        findLeftOutDays(deps, [compared, query]),
      ]);
      const { from, to, until } = days;
      return {
        data: {
          ...toDifference(explained),
          parts: explained.parts.map(toPart),
          along: explained.along.map(({ path, shareOfChange, ...numbers }) => ({
            path,
            ...toDifference(numbers),
            share_of_change: shareOfChange,
          })),
          ours: ours.map(writeOwnChange),
        },
        meta: {
          ...metaOf(wanted),
          without_days: leftOut.map(({ from, to, format }) => ({ from, to, format })),
          metric,
          compared: { from, to, until: until === undefined ? null : formatWithOffset(zone, until) },
        },
      };
    };
  });
}

const GOAL_MISSING: WireFault = {
  field: 'conversion',
  code: 'required',
  detail: 'Conversions are those of a goal: send its id.',
};

/** @param goal set wherever conversions are counted */
function countedOf(metric: ChangeMetric, goal: CountedGoal | undefined): Counted {
  if (metric !== 'conversions') return metric;
  if (goal === undefined) throw new Error('There is no goal to count.');
  return goal;
}

/** Which days are compared with. */
function readComparison({ query, period }: Asked): {
  readonly comparison: (typeof COMPARISONS)[number] | Period;
  readonly faults: readonly WireFault[];
} {
  const { compare, compare_from: from, compare_to: to }: Readonly<Record<string, unknown>> = query;
  const isCustom = compare === 'custom';
  const faults = Object.entries({ compare_from: from, compare_to: to })
    .filter(([, value]) => (value !== undefined) !== isCustom)
    .map(
      ([field]): WireFault =>
        isCustom
          ? { field, code: 'required', detail: 'Send it with "compare=custom".' }
          : { field, code: 'not_allowed', detail: 'Send it with "compare=custom" only.' },
    );
  if (!isCustom || faults.length > 0) {
    return { comparison: COMPARISONS.find((name) => name === compare) ?? 'previous', faults };
  }
  const read = readPeriod(String(from), String(to), period.to);
  if ('period' in read) return { comparison: read.period, faults: [] };
  return {
    comparison: 'previous',
    faults: read.faults.map((fault) => ({ ...fault, field: `compare_${fault.field}` })),
  };
}

function toDifference({ before, after, change }: Difference) {
  return { before, after, change };
}

function toPart({ dimension, values, rest }: ChangePart) {
  return {
    dimension,
    additive: rest !== null,
    values: values.map(({ value, shareOfChange, ...numbers }) => ({
      value,
      ...toDifference(numbers),
      share_of_change: shareOfChange,
    })),
    rest,
  };
}
