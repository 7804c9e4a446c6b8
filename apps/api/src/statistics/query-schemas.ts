import {
  COMPARISONS,
  DIMENSIONS,
  type Dimension,
  INTERVALS,
  MAX_DAYS_OF_HOURS,
  MAX_PERIOD_DAYS,
  mapDimensions,
} from '@hitherto/domain';
import { type Static, Type } from '@sinclair/typebox';
import { pagingParameters } from '../paging.ts';
import { WebsiteParams } from '../websites/schemas.ts';

// Error responses append these descriptions, so they list the accepted values.

const closed = { additionalProperties: false };
const MAX_VALUE = 4_096;

const text = (maxLength: number, description: string, examples: string[] = []) =>
  Type.String({ maxLength, description, examples });
const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Unsafe<V>({ type: 'string', enum: [...values], description });

export const DimensionParams = Type.Object({
  ...WebsiteParams.properties,
  dimension: Type.String({ description: `One of ${DIMENSIONS.join(', ')}.`, examples: ['page'] }),
});

const PERIOD = {
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

function filterSchema(dimension: Dimension) {
  const description =
    FILTER_DESCRIPTIONS[dimension] ?? `Only visits with this ${dimension}; empty: visits without one.`;
  return Type.Optional(text(MAX_VALUE, `${description} At most 10 filters.`));
}

const FILTERS = mapDimensions(DIMENSIONS, filterSchema);

const PAGING = pagingParameters('Values', 'list, period and filters');

export const TotalsQuery = Type.Object(
  {
    ...PERIOD,
    ...FILTERS,
    compare: Type.Optional(
      oneOf(
        COMPARISONS,
        'Adds the numbers of another period: previous = as many days just before, year = a year earlier.',
      ),
    ),
  },
  closed,
);

export const SeriesQuery = Type.Object(
  {
    ...PERIOD,
    ...FILTERS,
    interval: Type.Optional(
      oneOf(
        INTERVALS,
        `hour (at most ${MAX_DAYS_OF_HOURS} days), day, week (from Monday) or month. Default: hour for one day, day up to 92 days, week up to 366, otherwise month.`,
      ),
    ),
  },
  closed,
);

export const ValuesQuery = Type.Object({ ...PERIOD, ...FILTERS, ...PAGING }, closed);

const { event: _event, ...FILTERS_OF_PROPERTY } = FILTERS;

export const PropertyQuery = Type.Object(
  {
    event: text(64, 'The name of the event.', ['Signup']),
    property: text(40, 'The name of the property.', ['plan']),
    ...PERIOD,
    ...FILTERS_OF_PROPERTY,
    ...PAGING,
  },
  closed,
);

export const DroppedQuery = Type.Object(PERIOD, closed);

/** All parameters of all queries. */
export type ReadQuery = Partial<
  Static<typeof TotalsQuery> & Static<typeof SeriesQuery> & Static<typeof ValuesQuery> & Static<typeof PropertyQuery>
>;
