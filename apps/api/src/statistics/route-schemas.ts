import { accountProblemResponses, accountResponse } from '@hitherto/http';
import type { TSchema } from '@sinclair/typebox';
import { NoQuery, WebsiteParams } from '../websites/schemas.ts';
import {
  CrawlerListParams,
  CrawlerSeriesQuery,
  CrawlersQuery,
  DimensionParams,
  DroppedQuery,
  FUNNEL_QUERY,
  FunnelParams,
  GOALS_QUERY,
  PROPERTY_QUERY,
  SERIES_QUERY,
  TOTALS_QUERY,
  VALUES_QUERY,
} from './query-schemas.ts';
import {
  CrawlerSeriesResponse,
  CrawlersResponse,
  CrawlerValuesResponse,
  CurrentResponse,
  DroppedResponse,
  FunnelResponse,
  GoalsResponse,
  SeriesResponse,
  TotalsResponse,
  ValuesResponse,
} from './response-schemas.ts';

// The requests and responses of each route: Fastify validates with them, and the OpenAPI document is made from them.

const common = {
  tags: ['statistics'],
  params: WebsiteParams,
};

const problems = accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503);
const ok = (description: string, schema: TSchema) => ({ 200: accountResponse(description, schema), ...problems });

const vary = { vary: { type: 'string', description: 'Accept.' } };
export const link = {
  link: { type: 'string', description: 'The same links (RFC 8288), if they are short enough; CSV has none.' },
};
export const okOrCsv = (description: string, schema: TSchema, csv: string, headers: object = {}) => {
  const { content, ...response } = accountResponse(description, schema, { ...vary, ...headers });
  const text = { schema: { type: 'string', description: 'RFC 4180, with a header line.' }, example: csv };
  return { 200: { ...response, content: { ...content, 'text/csv': text } }, ...problems };
};

export const totals = {
  ...common,
  operationId: 'showStatistics',
  summary: 'Show the numbers of a period',
  description:
    'Visitors, visits, pageviews and events, with rates. All numbers are sums over days: a visitor who comes on two days counts twice. Filters select visits, and all numbers cover the selected visits only.',
  querystring: TOTALS_QUERY.schema,
  response: ok('The numbers.', TotalsResponse),
};

export const series = {
  ...common,
  operationId: 'showSeries',
  summary: 'Show the numbers by hour, day, week or month',
  description:
    'Empty intervals are included. A week or month that the period cuts starts at its true first day and has the numbers of the period. With `Accept: text/csv` the response is CSV.',
  querystring: SERIES_QUERY.schema,
  response: okOrCsv(
    'The numbers by interval.',
    SeriesResponse,
    'start,visitors,visits,pageviews,events\r\n2026-11-01,2,3,7,1\r\n',
  ),
};

export const values = {
  ...common,
  params: DimensionParams,
  operationId: 'listValues',
  summary: 'List the values of a dimension',
  description:
    'Sorted by visitors or engaged seconds, most first, then by value. For `event` there are `events` instead of `pageviews`; for all dimensions except `page` and `event` also `bounce_rate` and `visit_duration`. With `Accept: text/csv` it is CSV: unpaged, at most 5,000 rows.',
  querystring: VALUES_QUERY.schema,
  response: okOrCsv('A page of values.', ValuesResponse, 'value,visitors,visits,pageviews\r\n/a,2,2,5\r\n', link),
};

export const propertyValues = {
  ...common,
  operationId: 'listPropertyValues',
  summary: 'List the values of a property of an event',
  description:
    'From raw hits, as long as these are stored; events without the property are left out. With `Accept: text/csv` it is CSV: unpaged, at most 5,000 rows.',
  querystring: PROPERTY_QUERY.schema,
  response: okOrCsv('A page of values.', ValuesResponse, 'value,visitors,visits,events\r\npro,2,2,5\r\n', link),
};

export const goals = {
  ...common,
  operationId: 'showGoalNumbers',
  summary: 'Show the numbers of all goals',
  description:
    'In the order in which the goals were created. A goal is a rule: it counts past hits too, as far as they are stored. With `Accept: text/csv` the response is CSV.',
  querystring: GOALS_QUERY.schema,
  response: okOrCsv(
    'The numbers of the goals.',
    GoalsResponse,
    'goal_id,goal_name,visitors,visits,conversions,conversion_rate,sum\r\n01997c3e-5a10-7c3a-9d21-3f6f0f3f4f11,Signup,3,3,5,0.025,149.5\r\n',
  ),
};

export const funnel = {
  ...common,
  params: FunnelParams,
  operationId: 'showFunnelNumbers',
  summary: 'Show the numbers of a funnel',
  description:
    'How many visits reach each step. Numbers never rise from one step to the next. With `Accept: text/csv` the response is CSV.',
  querystring: FUNNEL_QUERY.schema,
  response: okOrCsv(
    'The numbers of the steps.',
    FunnelResponse,
    'step,visits,visitors,of_first,of_previous\r\nProduct,100,90,1,1\r\nCart,40,38,0.4,0.4\r\n',
  ),
};

export const current = {
  ...common,
  operationId: 'showCurrentVisitors',
  summary: 'Show the number of current visitors',
  description: 'Distinct visitors with a hit in the last 5 minutes.',
  querystring: NoQuery,
  response: ok('The visitors of the last 5 minutes.', CurrentResponse),
};

export const dropped = {
  ...common,
  operationId: 'listDroppedHits',
  summary: 'List how many hits were dropped, and why',
  description: 'By reason, most hits first. The day is the day of the hit.',
  querystring: DroppedQuery,
  response: ok('The dropped hits by reason.', DroppedResponse),
};

export const crawlers = {
  ...common,
  operationId: 'showCrawlers',
  summary: 'Show the hits of bots',
  description: 'Whether or not the website excludes bots. Hits of logs with a status from 400 to 499 count too.',
  querystring: CrawlersQuery,
  response: ok('The hits of bots.', CrawlersResponse),
};

export const crawlerSeries = {
  ...common,
  operationId: 'showCrawlerSeries',
  summary: 'Show the hits of bots by day, week or month',
  description: 'Empty intervals are included.',
  querystring: CrawlerSeriesQuery,
  response: ok('The hits of bots by interval.', CrawlerSeriesResponse),
};

export const crawlerValues = {
  ...common,
  params: CrawlerListParams,
  operationId: 'listCrawlers',
  summary: 'List who crawls, for which purpose, and which pages',
  description:
    'By operator, purpose or page, most hits first; the first 1,000. A bot that is on no list has its product token as operator, and the purpose `other`.',
  querystring: CrawlersQuery,
  response: ok('The values of the list.', CrawlerValuesResponse),
};
