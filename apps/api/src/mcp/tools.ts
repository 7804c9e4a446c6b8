import { COMPARISONS, INTERVALS } from '@hitherto/domain/calendar';
import { VALUE_ORDERS } from '@hitherto/domain/engine';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { CHANGE_METRICS } from '@hitherto/domain/insight';
import { MATCHES } from '@hitherto/domain/visits';

/** A request to the API, or the fault of the arguments. */
export type ToolRequest =
  | { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: object }
  | { readonly fault: string };

type Arguments = Readonly<Record<string, unknown>>;

/** An argument, in JSON Schema. */
interface Property {
  readonly type: 'string' | 'boolean' | 'object';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly additionalProperties?: object;
}

/** A tool for assistants: it asks the API, and changes nothing. */
interface Tool {
  readonly description: string;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
  readonly requestOf: (args: Arguments) => ToolRequest;
}

const text = (description: string): Property => ({ type: 'string', description });
const website = text('A website: its id, as list_websites gives it, or its domain or address.');
const day = (description: string): Property => ({ type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$', description });
const period = {
  from: day('The first day; without "from" and "to", the last 28 days.'),
  to: day('The last day.'),
};

const filters: Property = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
  description:
    'Values by the name of a dimension, "props[NAME]", "goal" (an id) or "bounce" ("1", "0"), with an operator if not equal: {"country":["DE","AT"],"page.like":["/blog/*"],"source.not":["Google"]}. Operators: not, contains, not_contains, like, not_like.',
};
const match: Property = { type: 'string', enum: [...MATCHES], description: 'Whether all filters must match, or any.' };

/** The tools, by name. Descriptions say how the numbers are meant, because assistants read nothing else. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  list_websites: {
    description:
      'Lists the websites of the account with their ids and settings, a page at a time: pass meta and links.next on.',
    properties: {
      search: text('Text to find in the address.'),
      cursor: text('The "cursor" parameter of links.next of the page before.'),
    },
    required: [],
    requestOf: ({ search, cursor }) => get('/api/v1/websites', { search, cursor, per_page: '50' }),
  },
  query_statistics: {
    description:
      'Reads the numbers of a website in a period: its totals, a series with an interval, a list of values of a dimension, or its goals. Visitors are counted per day: one who comes on two days counts twice. Days are in the time zone of the website, which "meta" names. Filters choose visits.',
    properties: {
      website,
      ...period,
      interval: { type: 'string', enum: [...INTERVALS], description: 'For a series.' },
      dimension: { type: 'string', enum: [...DIMENSIONS], description: 'For a list of values.' },
      goals: { type: 'boolean', description: 'true for the numbers of all goals.' },
      filters,
      match,
      compare: {
        type: 'string',
        enum: [...COMPARISONS],
        description:
          'Adds the period before, or a year earlier, to totals and goals. A period that is not over is compared with as much of the other one: until "comparison.until", the same time of day as now.',
      },
      conversion: text('The id of a goal whose conversions are added to each row.'),
      sort: {
        type: 'string',
        enum: [...VALUE_ORDERS],
        description: 'The number by which a list of values is ordered, the greatest first: visitors by default.',
      },
    },
    required: ['website'],
    requestOf: queryOf,
  },
  explain_change: {
    description:
      'Explains why a number of a website changed from one period to another: for each dimension the values with the largest change, which with "rest" add up to the whole, the best explanation first; the main value followed along another dimension; and what the owner changed or noted in these days.',
    properties: {
      website,
      ...period,
      metric: { type: 'string', enum: [...CHANGE_METRICS], description: 'The number; visitors by default.' },
      compare: {
        type: 'string',
        enum: [...COMPARISONS, 'custom'],
        description:
          'The days to compare with; "custom" for compare_from to compare_to. As many days before by default.',
      },
      compare_from: day('The first day to compare with.'),
      compare_to: day('The last day to compare with.'),
      filters,
      match,
      conversion: text('The id of the goal, for the metric "conversions".'),
    },
    required: ['website'],
    requestOf: ({ website: id, filters: chosen, ...others }) =>
      get(`${statisticsOf(id)}/change`, { ...others, ...Object(chosen ?? {}) }),
  },
  explain_hit: {
    description:
      'Tells whether a visit of a page would count, which rule would drop it, and which values would be stored. Stores nothing.',
    properties: {
      website,
      url: text('The address of the page.'),
      ip: text('The address of the visitor.'),
      user_agent: text('The user agent of the visitor.'),
      referrer: text('The page that the visitor came from.'),
    },
    required: ['website', 'url', 'ip'],
    requestOf: ({ website: id, ...hit }) => ({
      method: 'POST',
      path: `/api/v1/websites/${encoded(id)}/explain`,
      body: hit,
    }),
  },
  list_findings: {
    description:
      'Lists what daily checks have found wrong with a website, such as spam, a lost snippet or one page counted under many addresses: each with its numbers, a sentence, and the request that mends it. Open findings come first.',
    properties: { website },
    required: ['website'],
    requestOf: ({ website: id }) => get(`/api/v1/websites/${encoded(id)}/findings`, {}),
  },
  dropped_hits: {
    description: 'Counts the hits of a website that were dropped in a period, by reason.',
    properties: { website, ...period },
    required: ['website'],
    requestOf: ({ website: id, from, to }) => get(`${statisticsOf(id)}/dropped`, { from, to }),
  },
};

/** The arguments that were given: models send null or "" for arguments that they leave out. */
export function sentArguments(given: Arguments): Arguments {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ''));
}

/** Why a tool does not accept these arguments. */
export function argumentFault({ properties, required }: Tool, args: Arguments): string | undefined {
  const missing = required.find((name) => args[name] === undefined);
  if (missing !== undefined) return `The argument "${missing}" is required.`;
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) {
      const known = Object.keys(properties).join(', ');
      return `There is no argument "${[...name].slice(0, 40).join('')}". The arguments are ${known}.`;
    }
    const { type, enum: values } = property;
    if (typeof value !== type || Array.isArray(value))
      return `The argument "${name}" must be ${ARTICLES[type]} ${type}.`;
    if (values !== undefined && !values.some((one) => one === value)) {
      return `The argument "${name}" must be one of ${values.join(', ')}.`;
    }
  }
  const filters: Arguments = { ...Object(args.filters) };
  const wrong = Object.keys(filters).find((name) => ![filters[name]].flat().every(isPlain));
  return wrong === undefined
    ? undefined
    : `The filter "${[...wrong].slice(0, 40).join('')}" must be a list of strings.`;
}

const ARTICLES = { string: 'a', boolean: 'a', object: 'an' } as const;

/** Whether a value can stand in a query; null stands for none. */
function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function queryOf({ website: id, dimension, interval, goals, filters, ...others }: Arguments): ToolRequest {
  const kinds = [dimension, interval, goals === true ? true : undefined].filter((kind) => kind !== undefined);
  if (kinds.length > 1) return { fault: 'Ask for one of "dimension", "interval" and "goals" at a time.' };
  const { from, to, match, compare, conversion, sort } = others;
  const parameters: Record<string, unknown> = { from, to, match, compare, conversion, ...Object(filters ?? {}) };
  if (dimension !== undefined) {
    return get(`${statisticsOf(id)}/by/${encoded(dimension)}`, { ...parameters, sort, per_page: '100' });
  }
  if (interval !== undefined) return get(`${statisticsOf(id)}/series`, { ...parameters, interval });
  return get(goals === true ? `${statisticsOf(id)}/goals` : statisticsOf(id), parameters);
}

function statisticsOf(id: unknown): string {
  return `/api/v1/websites/${encoded(id)}/statistics`;
}

/** A checked argument in a path. */
function encoded(value: unknown): string {
  return encodeURIComponent(typeof value === 'string' ? value : '');
}

function get(path: string, parameters: Arguments): ToolRequest {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (isPlain(one) && one !== null) query.append(name, String(one));
  }
  return { method: 'GET', path: query.size === 0 ? path : `${path}?${query}` };
}
