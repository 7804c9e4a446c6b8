import type { Day } from '@hitherto/domain/calendar';
import {
  CLEANUP_STATUSES,
  type Cleanup,
  MAX_CLEANUPS,
  type Preview,
  type PreviewedDay,
} from '@hitherto/domain/cleanups';
import { segmentInputOf } from '@hitherto/domain/definitions';
import type { ImportedPeriod } from '@hitherto/domain/imports';
import { type TSchema, Type } from '@sinclair/typebox';
import { toNumbers, toPeriods } from '../../statistics/resources.ts';
import { nameSchema } from '../definitions/resource.ts';
import { FILTERS, MATCH } from '../definitions/segments.ts';

const closed = { additionalProperties: false };
const nullable = (schema: object) => Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'] });

const DAYS = {
  from: Type.Optional(
    nullable({
      maxLength: 10,
      description: 'The first day; null for the first day whose hits are kept.',
      examples: ['2026-02-01'],
    }),
  ),
  to: Type.Optional(
    nullable({ maxLength: 10, description: 'The last day; null also hides future visits.', examples: ['2026-11-20'] }),
  ),
};
const HIDES_ALL = Type.Optional(
  Type.Boolean({
    description: 'Needs to be true for a cleanup that hides every visit of its days; has no effect on others.',
  }),
);
const RULE_EXAMPLE = {
  filters: { country: ['SG'], channel: ['Direct'], bounce: ['1'] },
  match: 'all',
  from: '2026-02-01',
  to: null,
};
const NAME_EXAMPLE = 'Singapore, one page';

const CreateCleanup = Type.Object(
  { name: nameSchema(), filters: FILTERS, match: Type.Optional(MATCH), ...DAYS, hides_all: HIDES_ALL },
  { ...closed, $id: 'CreateCleanup', examples: [{ name: NAME_EXAMPLE, ...RULE_EXAMPLE }] },
);
const PreviewCleanup = Type.Object(
  { name: Type.Optional(nameSchema()), filters: FILTERS, match: Type.Optional(MATCH), ...DAYS, hides_all: HIDES_ALL },
  { ...closed, $id: 'PreviewCleanup', examples: [RULE_EXAMPLE] },
);
const UpdateCleanup = Type.Object(
  {
    name: Type.Optional(nameSchema()),
    filters: Type.Optional(FILTERS),
    match: Type.Optional(MATCH),
    ...DAYS,
  },
  { ...closed, $id: 'UpdateCleanup', examples: [{ name: NAME_EXAMPLE }] },
);

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f16',
  name: NAME_EXAMPLE,
  ...RULE_EXAMPLE,
  status: 'active',
  hidden: { visits: 214, hits: 214 },
  undo_since: null,
  without_days: [],
  erased_at: null,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

const date = (description: string) => nullable({ format: 'date', description });
const WITHOUT = Type.Array(Type.Object({ from: Type.String(), to: Type.String(), format: Type.String() }), {
  description: 'Imported days of sums, which have no visits to hide.',
});
// Responses are open: fields may be added within v1.
const CleanupSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    name: Type.String({ description: 'Unique within the website.' }),
    filters: Type.Record(Type.String(), Type.Array(Type.String())),
    match: MATCH,
    from: date('The first day, or null.'),
    to: date('The last day, or null.'),
    status: Type.Unsafe<string>({
      type: 'string',
      enum: [...CLEANUP_STATUSES],
      description:
        'applying: nothing is hidden yet; undoing: visits are hidden until it is gone; erasing: hidden hits are being deleted.',
    }),
    hidden: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      properties: { visits: { type: 'integer' }, hits: { type: 'integer' } },
      description: 'What it hid when it was applied; null before.',
    }),
    undo_since: date(
      'Undoing it brings visits back from this day on, because hits of earlier ones are deleted; null for all.',
    ),
    without_days: WITHOUT,
    erased_at: nullable({ format: 'date-time', description: 'When hidden hits were deleted for good, or null.' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change.' }),
  },
  { $id: 'Cleanup', examples: [EXAMPLE] },
);
const reference = Type.Unsafe<object>({ $ref: 'Cleanup#' });
const CleanupResponse = Type.Object({ data: reference }, { $id: 'CleanupResponse', examples: [{ data: EXAMPLE }] });
const CleanupList = Type.Object(
  { data: Type.Array(reference, { maxItems: MAX_CLEANUPS }) },
  { $id: 'CleanupList', examples: [{ data: [EXAMPLE] }] },
);

const number = (schema: TSchema = Type.Integer()) => Type.Union([schema, Type.Null()]);
const Totals = Type.Object({
  visitors: Type.Integer(),
  visits: number(),
  pageviews: Type.Integer(),
  events: Type.Integer(),
  bounce_rate: number(Type.Number()),
  visit_duration: number(Type.Number()),
  views_per_visit: number(Type.Number()),
});
const Change = Type.Object({ before: Type.Integer(), after: Type.Integer() });
const CHANGES = { visitors: Change, visits: Change, pageviews: Change, events: Change };
const Top = Type.Array(Type.Object({ value: nullable({ description: 'null for none' }), visitors: Type.Integer() }), {
  description: 'The first values of what would be hidden.',
});
const PREVIEW_EXAMPLE = {
  data: {
    before: totalsExample(900, 1000),
    hidden: totalsExample(214, 214),
    after: totalsExample(686, 786),
    days: [
      {
        day: '2026-11-20',
        visitors: { before: 900, after: 686 },
        visits: { before: 1000, after: 786 },
        pageviews: { before: 1000, after: 786 },
        events: { before: 0, after: 0 },
      },
    ],
    top: {
      page: [{ value: '/', visitors: 214 }],
      source: [{ value: null, visitors: 214 }],
      country: [{ value: 'SG', visitors: 214 }],
    },
  },
  meta: { from: '2026-02-01', to: '2026-11-20', without_days: [], kept_since: '2025-10-24' },
};
const PreviewResponse = Type.Object(
  {
    data: Type.Object({
      before: Totals,
      hidden: Totals,
      after: Totals,
      days: Type.Array(Type.Object({ day: Type.String({ format: 'date' }), ...CHANGES })),
      top: Type.Object({ page: Top, source: Top, country: Top }),
    }),
    meta: Type.Object({
      from: Type.String({ format: 'date' }),
      to: Type.String({ format: 'date' }),
      without_days: WITHOUT,
      kept_since: date('The first day with hits that are kept; null without hits.'),
    }),
  },
  { $id: 'CleanupPreviewResponse', examples: [PREVIEW_EXAMPLE] },
);

function totalsExample(visitors: number, visits: number) {
  const rates = { bounce_rate: 1, visit_duration: 0, views_per_visit: 1 };
  return { visitors, visits, pageviews: visits, events: 0, ...rates };
}

export const NAMED = { CreateCleanup, PreviewCleanup, UpdateCleanup, CleanupResponse, CleanupList, PreviewResponse };

/** The schemas that are referenced by name. */
export const CLEANUP_SCHEMAS = [CleanupSchema, ...Object.values(NAMED)];

/** What a cleanup does not reach. */
interface CleanupBounds {
  readonly undoneFrom: Day | null;
  readonly without: readonly ImportedPeriod[];
}

/** A cleanup as responses show it. */
export function toCleanupResource(cleanup: Cleanup, { undoneFrom, without }: CleanupBounds) {
  const { id, name, from, to, status, hidden, erasedAt, createdAt, updatedAt } = cleanup;
  return {
    id,
    name,
    ...segmentInputOf(cleanup),
    from,
    to,
    status,
    hidden: hidden && { visits: hidden.visits, hits: hidden.hits },
    undo_since: undoneFrom,
    without_days: toPeriods(without),
    erased_at: erasedAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** A preview as the response shows it. */
export function toPreview({ before, hidden, after, days, top, from, to, without, keptSince }: Preview) {
  const numbers = { before: toNumbers(before, undefined), hidden: toNumbers(hidden, undefined) };
  const lists = [...top].map(([name, rows]) => [name, rows.map(({ value, visitors }) => ({ value, visitors }))]);
  return {
    data: {
      ...numbers,
      after: toNumbers(after, undefined),
      days: days.map(toDay),
      top: Object.fromEntries(lists),
    },
    meta: { from, to, without_days: toPeriods(without), kept_since: keptSince },
  };
}

function toDay({ day, before, after }: PreviewedDay) {
  const change = (name: 'visitors' | 'visits' | 'pageviews' | 'events') => ({
    before: before[name],
    after: after[name],
  });
  return {
    day,
    visitors: change('visitors'),
    visits: change('visits'),
    pageviews: change('pageviews'),
    events: change('events'),
  };
}
