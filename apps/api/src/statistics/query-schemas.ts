import {
  COMPARISONS,
  type Comparison,
  INTERVALS,
  type Interval,
  MAX_DAYS_OF_HOURS,
  MAX_PERIOD_DAYS,
} from '@hitherto/domain/calendar';
import { VALUE_ORDERS, type ValueOrder } from '@hitherto/domain/engine';
import { CRAWLER_LISTS, DIMENSIONS, type Dimension, mapDimensions } from '@hitherto/domain/hits';
import { CRAWLER_INTERVALS } from '@hitherto/domain/reading';
import { FILTER_LIMITS, HIDDEN, type Hidden, MATCHES, type Match, OPERATORS } from '@hitherto/domain/visits';
import { type TSchema, Type } from '@sinclair/typebox';
import { pagingParameters } from '../requests/paging.ts';
import { WebsiteParams } from '../websites/schemas.ts';

// Error responses append these descriptions, so they list the accepted values.

const text = (maxLength: number, description: string, examples: string[] = []) =>
  Type.String({ maxLength, description, examples });
export const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Unsafe<V>({ type: 'string', enum: [...values], description });
const id = (description: string) => text(64, description, ['01997c3e-5a10-7c3a-9d21-3f6f0f3f4f11']);

export const DimensionParams = Type.Object({
  ...WebsiteParams.properties,
  dimension: Type.String({ description: `One of ${DIMENSIONS.join(', ')}.`, examples: ['page'] }),
});

export const FunnelParams = Type.Object({
  ...WebsiteParams.properties,
  funnel_id: Type.String({ description: 'The id of the funnel; letter case does not matter.' }),
});

export const PERIOD = {
  from: Type.Optional(
    text(10, `The first day, YYYY-MM-DD, sent with "to". A period has at most ${MAX_PERIOD_DAYS} days.`, [
      '2026-11-01',
    ]),
  ),
  to: Type.Optional(
    text(10, 'The last day, YYYY-MM-DD. Without "from" and "to": today and the 27 days before.', ['2026-11-28']),
  ),
};

const FILTER_DESCRIPTIONS: Partial<Record<Dimension, string>> = {
  page: 'Only visits that have a pageview of this page; empty: visits without any pageview.',
  event: 'Only visits that have an event with this name; empty: visits without any event.',
};

const { filters: maxFilters, values: maxValues, valueLength } = FILTER_LIMITS;

/** One value or several, which are any of them. */
function filterSchema(description: string) {
  return Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      maxLength: valueLength,
      maxItems: maxValues,
      items: { type: 'string', maxLength: valueLength },
      description: `${description} Repeat it for any of several values. At most ${maxFilters} filters of ${maxValues} values.`,
    }),
  );
}

const BY_DIMENSION = mapDimensions(DIMENSIONS, (dimension) =>
  filterSchema(FILTER_DESCRIPTIONS[dimension] ?? `Only visits with this ${dimension}; empty: visits without one.`),
);
const OTHER_FILTERS = {
  bounce: filterSchema('1: only visits of exactly one pageview and no event; 0: all others.'),
  goal: filterSchema('Only visits that reached the goal with this id.'),
  'goal.not': filterSchema('Only visits that did not reach the goal with this id.'),
  segment: Type.Optional(id('Only visits that the segment with this id selects. It counts as one filter.')),
};

/**
 * Filters by any name that is not another parameter. Clients write each field as a separate parameter; the name `filters`
 * itself is not sent. For the OpenAPI document only.
 */
export const ANY_FILTERS = {
  in: 'query',
  name: 'filters',
  required: false,
  style: 'form',
  explode: true,
  description: `Filters with operators and by properties of events, each a parameter of its own: \`country.not=DE\`, \`page.like=/blog/*\`, \`props[plan]=pro\`. The operators are ${OPERATORS.join(', ')}.`,
  schema: {
    type: 'object',
    additionalProperties: {
      type: 'array',
      maxItems: maxValues,
      items: { type: 'string', maxLength: valueLength },
    },
  },
  example: { 'country.not': ['DE'] },
};

type Schemas = Readonly<Record<string, TSchema>>;

/** The parameters of a read. All that `own` does not name are filters, which `readFilters` reads. */
export interface ReadParameters {
  readonly schema: ReturnType<typeof Type.Object>;
  readonly own: ReadonlySet<string>;
}

export function readParameters(parameters: Schemas, filters: Schemas = BY_DIMENSION): ReadParameters {
  const own = {
    ...parameters,
    match: Type.Optional(oneOf(MATCHES, 'Whether visits must match all filters (default) or any of them.')),
    hidden: Type.Optional(
      oneOf(
        HIDDEN,
        'Also counts the visits that cleanups hide (include), or only these. Without it, they do not count.',
      ),
    ),
  };
  return { schema: Type.Object({ ...own, ...filters, ...OTHER_FILTERS }), own: new Set(Object.keys(own)) };
}

const COMPARE = {
  compare: Type.Optional(
    oneOf(
      COMPARISONS,
      'Adds the numbers of another period: previous = as many days just before, year = a year earlier. A period that is not over is compared with as much of it: until the same time of day as now.',
    ),
  ),
};
export const CONVERSION = {
  conversion: Type.Optional(id('Adds the conversions of the goal with this id to each row.')),
};
const PAGING = pagingParameters('Values', 'list, period and filters');

export const TOTALS_QUERY = readParameters({ ...PERIOD, ...COMPARE, ...CONVERSION });

export const SERIES_QUERY = readParameters({
  ...PERIOD,
  ...CONVERSION,
  interval: Type.Optional(
    oneOf(
      INTERVALS,
      `hour (at most ${MAX_DAYS_OF_HOURS} days), day, week (from Monday) or month. Default: hour for one day, day up to 92 days, week up to 366, otherwise month.`,
    ),
  ),
});

export const VALUES_QUERY = readParameters({
  ...PERIOD,
  ...CONVERSION,
  ...PAGING,
  sort: Type.Optional(
    oneOf(VALUE_ORDERS, 'visitors (default) or engaged_seconds: the greatest first, null last, ties by value.'),
  ),
});

const { event: _event, ...FILTERS_OF_PROPERTY } = BY_DIMENSION;

export const PROPERTY_QUERY = readParameters(
  {
    event: text(64, 'The name of the event.', ['Signup']),
    property: text(40, 'The name of the property.', ['plan']),
    ...PERIOD,
    ...CONVERSION,
    ...PAGING,
  },
  FILTERS_OF_PROPERTY,
);

export const GOALS_QUERY = readParameters({ ...PERIOD, ...COMPARE });

export const FUNNEL_QUERY = readParameters(PERIOD);

export const DroppedQuery = Type.Object(PERIOD, { additionalProperties: false });

export const CrawlersQuery = Type.Object(PERIOD, { additionalProperties: false });

export const CrawlerSeriesQuery = Type.Object(
  {
    ...PERIOD,
    interval: Type.Optional(
      oneOf(
        CRAWLER_INTERVALS,
        'day, week (from Monday) or month. Default: day up to 92 days, week up to 366, otherwise month.',
      ),
    ),
  },
  { additionalProperties: false },
);

export const CrawlerListParams = Type.Object({
  ...WebsiteParams.properties,
  dimension: Type.String({ description: `One of ${CRAWLER_LISTS.join(', ')}.`, examples: ['operator'] }),
});

/** All parameters that are not filters, and filters. */
export interface ReadQuery {
  readonly from?: string;
  readonly to?: string;
  readonly compare?: Comparison;
  readonly interval?: Interval;
  readonly match?: Match;
  readonly hidden?: Hidden;
  readonly conversion?: string;
  readonly event?: string;
  readonly property?: string;
  readonly per_page?: number;
  readonly cursor?: string;
  readonly sort?: ValueOrder;
  readonly [filter: string]: string | number | readonly string[] | undefined;
}
