import { INTERVALS } from '@hitherto/domain/calendar';
import { MAX_CLEANUPS } from '@hitherto/domain/cleanups';
import { DEFINITION_LIMITS, STEP_LIMITS } from '@hitherto/domain/definitions';
import { DROP_REASONS, MAX_CRAWLER_VALUES } from '@hitherto/domain/hits';
import { CRAWLER_INTERVALS } from '@hitherto/domain/reading';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Links, PER_PAGE } from '../requests/paging.ts';

// Responses are open: within v1 fields are added (api.md, "Changes of this API").

const count = (description: string) => Type.Integer({ minimum: 0, description });
const orNull = <T extends 'number' | 'string'>(type: T, description: string, examples: (number | string)[]) =>
  Type.Unsafe<(T extends 'number' ? number : string) | null>({ type: [type, 'null'], description, examples });
const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Unsafe<V>({ type: 'string', enum: [...values], description });

const VISITORS = count('Devices, each counted once per day.');
const VISITORS_AT_MOST = Type.Optional(
  Type.Literal(true, {
    description: 'There are at most as many visitors: an import added them up from finer numbers. Absent otherwise.',
  }),
);
const VISITS = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  description:
    'Visits: hits of one visitor without a gap of more than 30 minutes; null if an import does not say how many.',
});
const PAGEVIEWS = count('Pageviews: hits without a name.');
const EVENTS = count('Events: hits with a name.');
const BOUNCE_RATE = orNull('number', 'Visits of exactly one pageview and no event; null without visits.', [0.3333]);
const VISIT_DURATION = orNull(
  'number',
  'Seconds from the first hit to the last, on average; null without visits.',
  [61.5],
);

const ENGAGED_SECONDS = orNull(
  'number',
  'Seconds in which a page was visible and had the focus: the mean of measured pageviews; null without any.',
  [34.2],
);
const SCROLL_DEPTH = orNull(
  'number',
  'How far down a page was seen, in percent: the mean of measured pageviews; null without any.',
  [64],
);

const CONVERSIONS = count('Hits that fulfil the rule of the goal.');
const CONVERSION_RATE = orNull('number', 'Visitors with a conversion of all visitors; null without visitors.', [0.025]);
const CONVERTED = Type.Optional(
  Type.Object(
    { visitors: VISITORS, conversions: CONVERSIONS, conversion_rate: CONVERSION_RATE },
    { description: 'With `conversion`: the visits of this row that reached the goal.' },
  ),
);

const Numbers = Type.Object(
  {
    visitors: VISITORS,
    visitors_at_most: VISITORS_AT_MOST,
    visits: VISITS,
    pageviews: PAGEVIEWS,
    events: EVENTS,
    bounce_rate: BOUNCE_RATE,
    visit_duration: VISIT_DURATION,
    views_per_visit: orNull('number', 'Pageviews per visit; null without visits.', [2.33]),
    engaged_seconds: ENGAGED_SECONDS,
    scroll_depth: SCROLL_DEPTH,
    measured: count('Measured pageviews: with it, means of several periods can be added up.'),
    engagement_rate: orNull(
      'number',
      'Of visits with a measured pageview those with 10 engaged seconds, two pageviews or an event; null without any.',
      [0.6512],
    ),
    converted: CONVERTED,
  },
  { $id: 'StatisticsNumbers' },
);

const ref = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });
const day = (description: string) => Type.String({ format: 'date', description });

const periods = (description: string) =>
  Type.Array(Type.Object({ from: day('The first day.'), to: day('The last day.'), format: Type.String() }), {
    description,
  });

const PERIOD_META = {
  from: day('The first day.'),
  to: day('The last day.'),
  time_zone: Type.String({ description: 'The IANA time zone of the days.', examples: ['UTC'] }),
};

const CLEANED = Type.Optional(
  Type.Array(Type.Object({ id: Type.String(), name: Type.String(), visits: Type.Integer() }), {
    maxItems: MAX_CLEANUPS,
    description: 'The cleanups that hide visits of the query, and how many each. Absent without any.',
  }),
);

/** Of numbers that sums of imported days may not have. */
export const NUMBERS_META = {
  ...PERIOD_META,
  without_days: periods(
    'Imported days that are left out, because only sums are known of them: these have no filters, goals, funnels, properties and hours, and not every dimension.',
  ),
  cleaned: CLEANED,
};

/** The days that a period is compared with. */
const COMPARED_DAYS = {
  from: day('The first day.'),
  to: day('The last day; of a period that is not over, the one that today is compared with.'),
  until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description:
      'Of a period that is not over: the moment on the last day until which its hits count, at the same time of day as now. null where days are compared whole, because the period is over, or because only sums of the last day are known.',
  }),
};

export const TotalsResponse = Type.Object(
  {
    data: ref(Numbers),
    comparison: Type.Optional(Type.Object({ ...COMPARED_DAYS, data: ref(Numbers) })),
    meta: Type.Object({
      ...NUMBERS_META,
      imported: periods('The days that come from imports, one entry for each import.'),
    }),
  },
  {
    $id: 'Statistics',
    examples: [
      {
        data: {
          visitors: 2,
          visits: 3,
          pageviews: 7,
          events: 1,
          bounce_rate: 0.3333,
          visit_duration: 61.5,
          views_per_visit: 2.33,
          engaged_seconds: 34.2,
          scroll_depth: 64,
          measured: 5,
          engagement_rate: 0.6667,
        },
        meta: { from: '2026-11-01', to: '2026-11-28', time_zone: 'UTC', without_days: [], imported: [] },
      },
    ],
  },
);

export const SeriesResponse = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        start: Type.String({
          description: 'The first day of the interval; for an hour, the time with its offset.',
          examples: ['2026-11-01'],
        }),
        visitors: VISITORS,
        visitors_at_most: VISITORS_AT_MOST,
        visits: VISITS,
        pageviews: PAGEVIEWS,
        events: EVENTS,
        converted: CONVERTED,
      }),
    ),
    meta: Type.Object({
      ...NUMBERS_META,
      interval: oneOf(INTERVALS, 'The interval of the series.'),
    }),
  },
  {
    $id: 'StatisticsSeries',
    examples: [
      {
        data: [{ start: '2026-11-01', visitors: 2, visits: 3, pageviews: 7, events: 1 }],
        meta: { from: '2026-11-01', to: '2026-11-01', time_zone: 'UTC', without_days: [], interval: 'day' },
      },
    ],
  },
);

export const ValuesResponse = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        value: orNull('string', 'null stands for none.', ['/a']),
        visitors: VISITORS,
        visitors_at_most: VISITORS_AT_MOST,
        visits: VISITS,
        pageviews: Type.Optional(PAGEVIEWS),
        events: Type.Optional(EVENTS),
        bounce_rate: Type.Optional(BOUNCE_RATE),
        visit_duration: Type.Optional(VISIT_DURATION),
        engaged_seconds: Type.Optional(ENGAGED_SECONDS),
        scroll_depth: Type.Optional(SCROLL_DEPTH),
        converted: CONVERTED,
      }),
      { maxItems: PER_PAGE.max },
    ),
    links: Links,
    meta: Type.Object({
      ...NUMBERS_META,
      per_page: Type.Integer({ minimum: PER_PAGE.min, maximum: PER_PAGE.max }),
      total: count('The number of values in the list.'),
    }),
  },
  {
    $id: 'StatisticsValues',
    examples: [
      {
        data: [{ value: '/a', visitors: 2, visits: 2, pageviews: 5, engaged_seconds: 34.2, scroll_depth: 64 }],
        links: { next: null, prev: null },
        meta: { from: '2026-11-01', to: '2026-11-28', time_zone: 'UTC', without_days: [], per_page: 10, total: 1 },
      },
    ],
  },
);

const GOAL_EXAMPLE = {
  goal: { id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f11', name: 'Signup' },
  visitors: 3,
  visits: 3,
  conversions: 5,
  conversion_rate: 0.025,
  sum: 149.5,
};

const GoalNumbers = Type.Array(
  Type.Object({
    goal: Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }),
    visitors: VISITORS,
    visits: count('Visits with a conversion.'),
    conversions: CONVERSIONS,
    conversion_rate: CONVERSION_RATE,
    sum: orNull('number', 'The sum of the property that the goal adds up, 2 decimals; null without one.', [149.5]),
  }),
  { maxItems: DEFINITION_LIMITS.goal },
);

export const GoalsResponse = Type.Object(
  {
    data: GoalNumbers,
    comparison: Type.Optional(Type.Object({ ...COMPARED_DAYS, data: GoalNumbers })),
    meta: Type.Object(NUMBERS_META),
  },
  {
    $id: 'StatisticsGoals',
    examples: [
      { data: [GOAL_EXAMPLE], meta: { from: '2026-11-01', to: '2026-11-28', time_zone: 'UTC', without_days: [] } },
    ],
  },
);

const OF_STEP = 'from 0 to 1; null if there are none.';

export const FunnelResponse = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        step: Type.String({ description: 'The name of the step.' }),
        visits: count('Visits that reach this step.'),
        visitors: count('Visitors of these visits.'),
        of_first: orNull('number', `Visits of those that reach the first step, ${OF_STEP}`, [0.4]),
        of_previous: orNull('number', `Visits of those that reach the step before, ${OF_STEP}`, [0.4]),
      }),
      { maxItems: STEP_LIMITS.max },
    ),
    meta: Type.Object(NUMBERS_META),
  },
  {
    $id: 'StatisticsFunnel',
    examples: [
      {
        data: [
          { step: 'Product', visits: 100, visitors: 90, of_first: 1, of_previous: 1 },
          { step: 'Cart', visits: 40, visitors: 38, of_first: 0.4, of_previous: 0.4 },
        ],
        meta: { from: '2026-11-01', to: '2026-11-28', time_zone: 'UTC', without_days: [] },
      },
    ],
  },
);

export const CurrentResponse = Type.Object(
  { data: Type.Object({ visitors: count('Distinct visitors with a hit in the last 5 minutes.') }) },
  { $id: 'CurrentVisitors', examples: [{ data: { visitors: 3 } }] },
);

export const DroppedResponse = Type.Object(
  {
    data: Type.Array(
      Type.Object({ reason: oneOf(DROP_REASONS, 'Why the hits were dropped.'), hits: Type.Integer({ minimum: 1 }) }),
      { maxItems: DROP_REASONS.length },
    ),
    meta: Type.Object(PERIOD_META),
  },
  {
    $id: 'DroppedHits',
    examples: [
      {
        data: [{ reason: 'bot', hits: 12 }],
        meta: { from: '2026-11-01', to: '2026-11-28', time_zone: 'UTC' },
      },
    ],
  },
);

const CRAWLER_SUMS = {
  hits: count('Hits of bots.'),
  share_4xx: orNull(
    'number',
    'The share of hits with a status from 400 to 499, 4 decimals; null without hits.',
    [0.25],
  ),
};
const CRAWLER_META = { from: '2026-11-01', to: '2026-11-28', time_zone: 'UTC' };

export const CrawlersResponse = Type.Object(
  { data: Type.Object(CRAWLER_SUMS), meta: Type.Object(PERIOD_META) },
  { $id: 'Crawlers', examples: [{ data: { hits: 12, share_4xx: 0.25 }, meta: CRAWLER_META }] },
);

export const CrawlerSeriesResponse = Type.Object(
  {
    data: Type.Array(Type.Object({ start: day('The first day of the interval.'), ...CRAWLER_SUMS })),
    meta: Type.Object({ ...PERIOD_META, interval: oneOf(CRAWLER_INTERVALS, 'The interval of the series.') }),
  },
  {
    $id: 'CrawlerSeries',
    examples: [
      {
        data: [{ start: '2026-11-01', hits: 12, share_4xx: 0.25 }],
        meta: { ...CRAWLER_META, to: '2026-11-01', interval: 'day' },
      },
    ],
  },
);

export const CrawlerValuesResponse = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        value: Type.String({ description: 'The operator, the purpose or the page.', examples: ['Google'] }),
        ...CRAWLER_SUMS,
      }),
      { maxItems: MAX_CRAWLER_VALUES },
    ),
    meta: Type.Object({ ...PERIOD_META, total: count('The number of values in the whole list.') }),
  },
  {
    $id: 'CrawlerValues',
    examples: [{ data: [{ value: 'Google', hits: 12, share_4xx: 0.25 }], meta: { ...CRAWLER_META, total: 1 } }],
  },
);

/** The schemas that are referenced by name. */
export const STATISTICS_SCHEMAS = [
  Numbers,
  TotalsResponse,
  SeriesResponse,
  ValuesResponse,
  GoalsResponse,
  FunnelResponse,
  CurrentResponse,
  DroppedResponse,
  CrawlersResponse,
  CrawlerSeriesResponse,
  CrawlerValuesResponse,
];
