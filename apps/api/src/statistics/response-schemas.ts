import { DROP_REASONS, INTERVALS } from '@hitherto/domain';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Links, PER_PAGE } from '../paging.ts';

// Responses are open: within v1 members are added (decisions.md, "Not offered, and change").

const count = (description: string) => Type.Integer({ minimum: 0, description });
const orNull = <T extends 'number' | 'string'>(type: T, description: string, examples: (number | string)[]) =>
  Type.Unsafe<(T extends 'number' ? number : string) | null>({ type: [type, 'null'], description, examples });
const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Unsafe<V>({ type: 'string', enum: [...values], description });

const VISITORS = count('Devices, each counted once per day.');
const VISITS = count('Visits: hits of one visitor without a gap of more than 30 minutes.');
const PAGEVIEWS = count('Pageviews: hits without a name.');
const EVENTS = count('Events: hits with a name.');
const BOUNCE_RATE = orNull('number', 'Visits of exactly one pageview and no event; null without visits.', [0.3333]);
const VISIT_DURATION = orNull(
  'number',
  'Seconds from the first hit to the last, on average; null without visits.',
  [61.5],
);

const Numbers = Type.Object(
  {
    visitors: VISITORS,
    visits: VISITS,
    pageviews: PAGEVIEWS,
    events: EVENTS,
    bounce_rate: BOUNCE_RATE,
    visit_duration: VISIT_DURATION,
    views_per_visit: orNull('number', 'Pageviews per visit; null without visits.', [2.33]),
  },
  { $id: 'StatisticsNumbers' },
);

const ref = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });
const day = (description: string) => Type.String({ format: 'date', description });

const PERIOD_META = {
  from: day('The first day.'),
  to: day('The last day.'),
  time_zone: Type.String({ description: 'The IANA time zone of the days.', examples: ['UTC'] }),
};

export const TotalsResponse = Type.Object(
  {
    data: ref(Numbers),
    comparison: Type.Optional(
      Type.Object({ from: day('The first day.'), to: day('The last day.'), data: ref(Numbers) }),
    ),
    meta: Type.Object(PERIOD_META),
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
        },
        meta: { from: '2026-11-01', to: '2026-11-28', time_zone: 'UTC' },
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
        visits: VISITS,
        pageviews: PAGEVIEWS,
        events: EVENTS,
      }),
    ),
    meta: Type.Object({ ...PERIOD_META, interval: oneOf(INTERVALS, 'The interval of the series.') }),
  },
  {
    $id: 'StatisticsSeries',
    examples: [
      {
        data: [{ start: '2026-11-01', visitors: 2, visits: 3, pageviews: 7, events: 1 }],
        meta: { from: '2026-11-01', to: '2026-11-01', time_zone: 'UTC', interval: 'day' },
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
        visits: VISITS,
        pageviews: Type.Optional(PAGEVIEWS),
        events: Type.Optional(EVENTS),
        bounce_rate: Type.Optional(BOUNCE_RATE),
        visit_duration: Type.Optional(VISIT_DURATION),
      }),
      { maxItems: PER_PAGE.max },
    ),
    links: Links,
    meta: Type.Object({
      ...PERIOD_META,
      per_page: Type.Integer({ minimum: PER_PAGE.min, maximum: PER_PAGE.max }),
      total: count('The number of values in the list.'),
    }),
  },
  {
    $id: 'StatisticsValues',
    examples: [
      {
        data: [{ value: '/a', visitors: 2, visits: 2, pageviews: 5 }],
        links: { next: null, prev: null },
        meta: { from: '2026-11-01', to: '2026-11-28', time_zone: 'UTC', per_page: 10, total: 1 },
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

/** The schemas that are referenced by name. */
export const STATISTICS_SCHEMAS = [
  Numbers,
  TotalsResponse,
  SeriesResponse,
  ValuesResponse,
  CurrentResponse,
  DroppedResponse,
];
