import { HIT_LIMITS, MEASURE_LIMITS } from '@hitherto/domain/hits';
import { FILTER_LIMITS } from '@hitherto/domain/visits';
import { Type } from '@sinclair/typebox';

// The rules of goals and of the steps of funnels in JSON.

const nullableText = (maxLength: number, description: string, examples: string[]) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description, examples }));

/** The fields of a body for a rule. */
export const RULE_FIELDS = {
  event: nullableText(HIT_LIMITS.name, 'The exact name of an event, 1 to 64 characters; or send "page".', ['Signup']),
  props: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ['object', 'null'],
      maxProperties: HIT_LIMITS.props,
      additionalProperties: { type: 'string', maxLength: HIT_LIMITS.propText },
      description:
        'Only with "event": properties that the same event must have, compared as strings. At most 10, with names of at most 40 and values of at most 200 characters.',
      examples: [{ plan: 'pro' }],
    }),
  ),
  page: nullableText(
    FILTER_LIMITS.valueLength,
    'A pattern that the page of a pageview must match, at most 2,000 characters: "*" stands for any characters; or send "event".',
    ['/checkout/*'],
  ),
};

export const SUM = nullableText(
  HIT_LIMITS.propName,
  'Only with "event": the name of a property, 1 to 40 characters, whose numbers are added up.',
  ['amount'],
);

const bound = (most: number, description: string, example: number) =>
  Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: most,
      description: `Only with "page": ${description}, from 1 to ${most.toLocaleString('en')}.`,
      examples: [example],
    }),
  );

/** The least that pageviews of a goal have to reach. */
export const BOUNDS = {
  scroll: bound(MEASURE_LIMITS.scroll, 'how far down a measured pageview must have been seen, in percent', 75),
  seconds: bound(MEASURE_LIMITS.seconds, 'for how many engaged seconds it must have been looked at', 30),
};

/** The fields of a resource for a rule. */
export const SHOWN_RULE = {
  event: Type.Optional(Type.String({ description: 'Of a rule for events.' })),
  props: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Of a rule for events, if any.' })),
  page: Type.Optional(Type.String({ description: 'Of a rule for pageviews.' })),
};
