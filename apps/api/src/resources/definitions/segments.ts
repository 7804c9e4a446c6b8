import {
  DEFINITION_LIMITS,
  parseNewSegment,
  parseSegmentChanges,
  type SegmentInput,
  segmentFaults,
  segmentInputOf,
} from '@hitherto/domain/definitions';
import { FILTER_LIMITS, MATCHES, type Match, OPERATORS } from '@hitherto/domain/visits';
import { Type } from '@sinclair/typebox';
import { type DefinitionBody, type DefinitionResource, schemasOf } from './resource.ts';

const { filters: maxFilters, values, valueLength } = FILTER_LIMITS;
/** The filters of a body. */
export const FILTERS = Type.Unsafe<Record<string, string[]>>({
  type: 'object',
  additionalProperties: {
    type: 'array',
    maxItems: values,
    items: { type: 'string', maxLength: valueLength },
    description: `1 to ${values} values of at most ${valueLength.toLocaleString('en')} characters, of which any may match.`,
  },
  description: `1 to ${maxFilters} filters by the names that requests for statistics use: a dimension, props[NAME], goal or bounce, optionally with one of ${OPERATORS.map((operator) => `.${operator}`).join(', ')}.`,
});
export const MATCH = Type.Unsafe<Match>({
  type: 'string',
  enum: [...MATCHES],
  description: 'Whether a visit must match all filters (default) or any.',
});

export const SEGMENTS: DefinitionResource<'segment'> = {
  kind: 'segment',
  schemas: schemasOf({
    name: 'Segment',
    create: { filters: FILTERS, match: Type.Optional(MATCH) },
    update: { filters: Type.Optional(FILTERS), match: Type.Optional(MATCH) },
    shown: {
      filters: Type.Record(Type.String(), Type.Array(Type.String(), { maxItems: values })),
      match: MATCH,
      faults: Type.Optional(
        Type.Array(
          Type.Object({
            field: Type.String(),
            code: Type.Unsafe<'unknown_goal'>({ type: 'string', enum: ['unknown_goal'] }),
          }),
          {
            maxItems: maxFilters,
            description:
              'The filters that name a goal which has been deleted: no visit reaches it. Absent without faults.',
          },
        ),
      ),
    },
    limit: DEFINITION_LIMITS.segment,
    example: {
      name: 'Readers from Germany',
      filters: { country: ['DE'], 'page.like': ['/blog/*'] },
      match: 'all',
    },
  }),
  parseNew: (body) => parseNewSegment(toInput(body)),
  parseChanges: (body) => parseSegmentChanges(toInput(body)),
  fieldsOf: segmentInputOf,
  faultsOf: segmentFaults,
};

function toInput({ name, filters, match }: DefinitionBody): SegmentInput {
  return { name, filters: filters && Object.entries(filters), match };
}
