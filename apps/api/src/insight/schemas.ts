import { COMPARISONS } from '@hitherto/domain/calendar';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { CHANGE_METRICS, type ChangeMetric, MAX_CHANGED_VALUES } from '@hitherto/domain/insight';
import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { type TSchema, Type } from '@sinclair/typebox';
import { CONVERSION, oneOf, PERIOD, readParameters } from '../statistics/query-schemas.ts';
import { NUMBERS_META } from '../statistics/response-schemas.ts';
import { WebsiteParams } from '../websites/schemas.ts';

const day = (description: string) => Type.String({ maxLength: 10, description, examples: ['2026-10-01'] });

export const CHANGE_QUERY = readParameters({
  metric: Type.Optional(
    oneOf<ChangeMetric>(
      CHANGE_METRICS,
      `The number: ${CHANGE_METRICS.join(', ')}. Default: visitors. Conversions need "conversion".`,
    ),
  ),
  ...PERIOD,
  ...CONVERSION,
  compare: Type.Optional(
    oneOf(
      [...COMPARISONS, 'custom'],
      'The days to compare with: previous (default) = as many days just before, year = a year earlier, custom = "compare_from" to "compare_to". A period that is not over is compared with as much of them.',
    ),
  ),
  compare_from: Type.Optional(day('With compare=custom: the first day to compare with.')),
  compare_to: Type.Optional(day('With compare=custom: the last day to compare with.')),
});

const DIFFERENCE = {
  before: Type.Integer({ description: 'The number of the compared days.' }),
  after: Type.Integer({ description: 'The number of the period.' }),
  change: Type.Integer({ description: 'after − before.' }),
};
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const SHARE = orNull(Type.Number({ description: 'Of the whole change, 4 decimals; null without a change.' }));
const VALUE = orNull(Type.String({ description: 'null stands for none.' }));
const DIMENSION = oneOf(DIMENSIONS, 'The dimension.');

export const ChangeResponse = Type.Object(
  {
    data: Type.Object({
      ...DIFFERENCE,
      parts: Type.Array(
        Type.Object({
          dimension: DIMENSION,
          additive: Type.Boolean({ description: 'Whether all values add up to the whole.' }),
          values: Type.Array(Type.Object({ value: VALUE, ...DIFFERENCE, share_of_change: SHARE }), {
            maxItems: MAX_CHANGED_VALUES,
          }),
          rest: orNull(Type.Object(DIFFERENCE, { description: 'All other values; null if they do not add up.' })),
        }),
        { description: 'The best explanation first: the dimension that needs the fewest values to make up 80 %.' },
      ),
      along: Type.Array(
        Type.Object({
          path: Type.Array(Type.Object({ dimension: DIMENSION, value: VALUE }), { minItems: 2, maxItems: 2 }),
          ...DIFFERENCE,
          share_of_change: SHARE,
        }),
        { description: 'The most important value of the first part, by another dimension.' },
      ),
      ours: Type.Array(
        Type.Object({
          at: orNull(Type.String({ description: 'A day or a time; null of hits that were dropped.' })),
          kind: Type.String({
            description:
              'setting, zone, cleanup, release, import, annotation, silence or dropped; there may be others later.',
          }),
          text: Type.String(),
          visits: orNull(Type.Integer({ description: 'The effect, where it is known exactly.' })),
        }),
        { description: 'What was changed or noted in these days. Settings need the right to see them.' },
      ),
    }),
    meta: Type.Object({
      ...NUMBERS_META,
      without_days: Type.Array(
        Type.Object({
          from: Type.String({ format: 'date' }),
          to: Type.String({ format: 'date' }),
          format: orNull(Type.String({ description: 'Of the import that has only sums of these days.' })),
        }),
        { description: 'Days of both that are left out. A format of null says that their hits are deleted.' },
      ),
      metric: oneOf(CHANGE_METRICS, 'The number.'),
      compared: Type.Object({
        from: Type.String({ format: 'date' }),
        to: Type.String({ format: 'date' }),
        until: orNull(Type.String({ format: 'date-time' })),
      }),
    }),
  },
  {
    $id: 'ExplainedChange',
    examples: [
      {
        data: {
          before: 1200,
          after: 900,
          change: -300,
          parts: [
            {
              dimension: 'source',
              additive: true,
              values: [{ value: 'Google', before: 700, after: 380, change: -320, share_of_change: 1.0667 }],
              rest: { before: 500, after: 520, change: 20 },
            },
          ],
          along: [
            {
              path: [
                { dimension: 'source', value: 'Google' },
                { dimension: 'entry_page', value: '/prices' },
              ],
              before: 400,
              after: 110,
              change: -290,
              share_of_change: 0.9667,
            },
          ],
          ours: [
            {
              at: '2026-11-12T09:30:00.000Z',
              kind: 'setting',
              text: 'exclude_bots was changed from 0 to 1.',
              visits: null,
            },
          ],
        },
        meta: {
          from: '2026-11-01',
          to: '2026-11-28',
          time_zone: 'UTC',
          without_days: [],
          metric: 'visits',
          compared: { from: '2026-10-04', to: '2026-10-31', until: null },
        },
      },
    ],
  },
);

export const documentedChange = {
  tags: ['statistics'],
  params: WebsiteParams,
  operationId: 'explainChange',
  summary: 'Explain the change of a number',
  description:
    'The values of each dimension with the largest change; with `rest` they add up to the change of the whole. Only days whose hits are stored count.',
  querystring: CHANGE_QUERY.schema,
  response: {
    200: accountResponse('The change, in parts.', ChangeResponse),
    ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
  },
};
