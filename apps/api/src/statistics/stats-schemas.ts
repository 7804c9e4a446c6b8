import { type Static, Type } from '@sinclair/typebox';
import { Links, PER_PAGE } from '../requests/paging.ts';
import { WebsiteParams } from '../websites/schemas.ts';
import { oneOf, PERIOD } from './query-schemas.ts';
import { NUMBERS_META } from './response-schemas.ts';
import { link, okOrCsv } from './route-schemas.ts';
import { NOT_COLLECTED, STATS, type StatsName } from './stats-rows.ts';

const number = (minimum: number, description: string) => Type.Integer({ minimum, description });

const NAMES = Object.keys(STATS);

export const StatsQuery = Type.Object(
  {
    name: Type.Unsafe<StatsName>({
      type: 'string',
      enum: [...NAMES, ...NOT_COLLECTED],
      description: `The list: one of ${NAMES.join(', ')}. Nothing is collected for ${NOT_COLLECTED.join(' and ')}: 422.`,
    }),
    ...PERIOD,
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only values that contain this text, whatever the letter case.' }),
    ),
    sort_by: Type.Optional(oneOf(['count', 'value'], 'Whether rows are sorted by count (default) or by value.')),
    sort: Type.Optional(oneOf(['desc', 'asc'], 'The direction: desc (default) or asc. Ties are sorted by value.')),
    per_page: Type.Optional(
      Type.Integer({
        minimum: PER_PAGE.min,
        maximum: PER_PAGE.max,
        default: PER_PAGE.default,
        description: `Rows per page: a whole number from ${PER_PAGE.min} to ${PER_PAGE.max}.`,
      }),
    ),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 1,
        description: 'The page, a whole number from 1. Past the last one it is empty.',
      }),
    ),
  },
  { additionalProperties: false },
);

const PAGE = {
  current_page: number(1, 'The page.'),
  last_page: number(1, 'The last page that has rows, or the first.'),
  per_page: Type.Integer({ minimum: PER_PAGE.min, maximum: PER_PAGE.max }),
  total: number(0, 'The number of rows on all pages.'),
};

export const StatsResponse = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        value: Type.Unsafe<string | number | null>({
          type: ['string', 'integer', 'null'],
          description: 'A day, an hour from 0 to 23, or a value of the list; null stands for none.',
        }),
        count: number(0, 'Pageviews, visitors or events, as the list says.'),
      }),
      { maxItems: PER_PAGE.max },
    ),
    links: Type.Object({
      first: Type.String(),
      last: Type.String(),
      ...Links.properties,
    }),
    meta: Type.Object({ name: Type.String(), ...NUMBERS_META, per_page: PAGE.per_page, total: PAGE.total }),
    ...PAGE,
  },
  {
    $id: 'Stats',
    examples: [
      {
        data: [{ value: 'Firefox', count: 120 }],
        links: {
          first: '/api/v1/stats/01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10?name=browser&from=2026-11-01&to=2026-11-28&page=1',
          last: '/api/v1/stats/01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10?name=browser&from=2026-11-01&to=2026-11-28&page=1',
          prev: null,
          next: null,
        },
        meta: {
          name: 'browser',
          from: '2026-11-01',
          to: '2026-11-28',
          time_zone: 'UTC',
          without_days: [],
          per_page: 10,
          total: 1,
        },
        current_page: 1,
        last_page: 1,
        per_page: 10,
        total: 1,
      },
    ],
  },
);

export type StatsRequest = Static<typeof StatsQuery>;

export const documentedStats = {
  tags: ['statistics'],
  params: WebsiteParams,
  operationId: 'listStats',
  summary: 'List numbers by name',
  description:
    'The lists of statistics by the names of the specified product. `count` is visitors, of `page` pageviews and of `event` events. With `Accept: text/csv` it is CSV: unpaged, at most 5,000 rows.',
  querystring: StatsQuery,
  response: okOrCsv('A page of rows.', StatsResponse, 'value,count\r\nFirefox,120\r\n', link),
};
