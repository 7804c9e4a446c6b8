import { MAX_SORTED, OVERVIEW_SORTS, type OverviewSort } from '@hitherto/domain/reading';

import { type TSchema, Type } from '@sinclair/typebox';
import { Links, PER_PAGE, pagingParameters } from '../requests/paging.ts';
import { oneOf } from '../statistics/query-schemas.ts';
import { link, okOrCsv } from '../statistics/route-schemas.ts';

const SORTS = Object.keys(OVERVIEW_SORTS) as OverviewSort[];

export const OverviewQuery = Type.Object(
  {
    search: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Case-insensitive plain text to find in the url; empty means all websites.',
      }),
    ),
    label: Type.Optional(Type.String({ maxLength: 255, description: 'Only websites with this label.' })),
    sort: Type.Optional(
      oneOf<OverviewSort>(
        SORTS,
        `The number, or the string, to sort by. Default: visitors. More than ${MAX_SORTED} websites are always by address.`,
      ),
    ),
    order: Type.Optional(
      oneOf<'asc' | 'desc'>(['asc', 'desc'], 'The default is desc for numbers, and asc for label and address.'),
    ),
    ...pagingParameters('Websites', 'search, label, sort and order'),
  },
  { additionalProperties: false },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const date = (description: string) => Type.String({ format: 'date', description });

const OverviewRow = Type.Object({
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  label: Type.Optional(orNull(Type.String({ description: 'Absent for keys of viewers.' }))),
  open_findings: Type.Optional(count('Of the checks. Absent for keys of viewers, as the next two.')),
  unknown_host: Type.Optional(
    orNull(
      Type.Object(
        { host: Type.String(), hits: Type.Integer({ minimum: 0 }) },
        { description: 'The host of which most hits were dropped, if a finding is about one.' },
      ),
    ),
  ),
  spike_at: Type.Optional(
    orNull(
      Type.String({ format: 'date-time', description: 'When an alert of a spike fired last, if it did so today.' }),
    ),
  ),
  time_zone: orNull(Type.String()),
  from: date('The first day, in the zone of the website.'),
  to: date('Today there.'),
  current_visitors: count('With a hit in the last 5 minutes.'),
  visitors: count('Of 28 days, today included.'),
  visitors_at_most: Type.Optional(
    Type.Literal(true, { description: 'There are at most as many: they were added up from finer numbers.' }),
  ),
  visitors_before: orNull(
    count('Of the 28 days before, the last one until the same time; null if they cannot be compared.'),
  ),
  days: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Visitors by day, in order of time.', maxItems: 28 }),
  goals: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid' }),
      name: Type.String(),
      conversions: count('In the 28 days.'),
      conversions_before: orNull(count('As visitors_before.')),
    }),
    { description: 'In the order of their creation.' },
  ),
  state: Type.String({
    description:
      'counting, waiting = has never had a hit, silent = none for 24 hours, although it usually has visitors; there may be others later.',
  }),
  last_hit_at: orNull(Type.String({ format: 'date-time', description: 'Of the last hit in these 56 days.' })),
});

const OverviewTotals = Type.Object({
  visitors: count('Of all these websites.'),
  visitors_before: orNull(count('Of those that can be compared.')),
  visitors_compared: count('Now, of those that can be compared.'),
  silent: count('How many websites are silent.'),
});

export const OverviewResponse = Type.Object(
  {
    data: Type.Array(OverviewRow, { maxItems: PER_PAGE.max }),
    links: Links,
    meta: Type.Object({
      per_page: Type.Integer({ minimum: PER_PAGE.min, maximum: PER_PAGE.max }),
      total: Type.Integer({ minimum: 0 }),
      total_is_exact: Type.Boolean(),
      totals: orNull(OverviewTotals),
    }),
  },
  {
    $id: 'Overview',
    examples: [
      {
        data: [
          {
            id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10',
            url: 'https://example.com',
            label: 'Clients',
            open_findings: 1,
            unknown_host: { host: 'shop.example', hits: 412 },
            spike_at: null,
            time_zone: null,
            from: '2026-11-01',
            to: '2026-11-28',
            current_visitors: 2,
            visitors: 410,
            visitors_before: 380,
            days: [12, 15],
            goals: [
              {
                id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f11',
                name: 'Signup',
                conversions: 12,
                conversions_before: 9,
              },
            ],
            state: 'counting',
            last_hit_at: '2026-11-28T12:00:00.000Z',
          },
        ],
        links: { next: null, prev: null },
        meta: {
          per_page: 10,
          total: 1,
          total_is_exact: true,
          totals: { visitors: 410, visitors_before: 380, visitors_compared: 410, silent: 0 },
        },
      },
    ],
  },
);

export const documentedOverview = {
  operationId: 'showOverview',
  summary: 'Show all websites at a glance',
  description: `The websites of the account with their visitors of 28 days, of the 28 days before, and of now, and with the conversions of their goals. With \`Accept: text/csv\` the response is CSV, without goals: unpaged, at most ${MAX_SORTED} websites.`,
  tags: ['statistics'],
  querystring: OverviewQuery,
  response: okOrCsv(
    'A page of websites with their numbers.',
    OverviewResponse,
    'id,url,label,current_visitors,visitors,visitors_before,state,last_hit_at\r\n01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10,https://example.com,Clients,2,410,380,counting,2026-11-28T12:00:00.000Z\r\n',
    link,
  ),
};
