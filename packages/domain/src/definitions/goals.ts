import { type Fault, InvalidFields, inWords } from '../base/errors.ts';
import { MEASURE_LIMITS } from '../hits/hit.ts';
import { rangeFaults } from '../hits/read-hit.ts';
import type { MeasureBounds } from '../visits/rules.ts';
import { type DefinitionChanges, type GoalContent, type NewDefinition, nameFaults } from './definition.ts';
import { fieldsOf, propertyNameFaults, type RuleFields, ruleFaults, ruleInputOf, ruleOf } from './read-rule.ts';

interface GoalFields extends RuleFields {
  readonly sum: string | null;
  /** The least that the pageview has to reach. */
  readonly scroll: number | null;
  readonly seconds: number | null;
}

const BOUNDS = ['scroll', 'seconds'] as const satisfies readonly (keyof MeasureBounds)[];

/** Unchecked input for a goal. An absent field sets nothing; `null` stands for none. */
export type GoalInput = { readonly [Name in keyof GoalFields]?: GoalFields[Name] | undefined } & {
  readonly name?: string | undefined;
};

/** Checks the input for a new goal. Throws `InvalidFields` with every fault. */
export function parseNewGoal(input: GoalInput): NewDefinition<'goal'> {
  const faults = [...nameFaults(input.name, true), ...fieldFaults(input)];
  const content = contentOf(input);
  if ('field' in content && faults.every(({ field }) => field !== content.field)) faults.push(content);
  if (faults.length > 0 || input.name === undefined || 'field' in content) throw new InvalidFields(faults);
  return { name: input.name, content };
}

/**
 * Checks changes to a goal; whether they fit the stored one shows when they are applied. A goal that becomes one by page
 * loses `props` and `sum`, which only events have, and one that becomes one by event the bounds of its pageviews. Throws `InvalidFields` with every fault.
 */
export function parseGoalChanges(input: GoalInput): DefinitionChanges<'goal'> {
  const faults = [...nameFaults(input.name, false), ...fieldFaults(input)];
  if (faults.length > 0) throw new InvalidFields(faults);
  return {
    name: input.name,
    change({ rule, sum }) {
      const { event, props, page } = fieldsOf(rule);
      const { scroll, seconds }: MeasureBounds = 'page' in rule ? rule : {};
      const ofEvent = input.event === null ? {} : { props, sum };
      const ofPage = input.page === null ? {} : { scroll, seconds };
      const content = contentOf({ event, page, ...ofEvent, ...ofPage, ...sentOf(input) });
      if ('field' in content) throw new InvalidFields([content]);
      return content;
    },
  };
}

/** The input that makes this content; fields without a value are absent. */
export function goalInputOf({ rule, sum }: GoalContent): GoalInput {
  const { page: _, ...bounds } = 'page' in rule ? rule : { page: '' };
  return { ...ruleInputOf(rule), ...bounds, ...(sum === null ? {} : { sum }) };
}

function fieldFaults(input: GoalInput): Fault[] {
  const { sum } = input;
  const ofBounds = BOUNDS.flatMap((name) => {
    const least = input[name];
    return least === undefined || least === null ? [] : rangeFaults(name, least, 1, MEASURE_LIMITS[name]);
  });
  const ofSum = sum === undefined || sum === null ? [] : propertyNameFaults('sum', sum);
  return [...ruleFaults(input), ...ofSum, ...ofBounds];
}

function contentOf({ sum = null, ...fields }: GoalInput): GoalContent | Fault {
  const rule = ruleOf(fields);
  if ('field' in rule) return rule;
  const bounds: MeasureBounds = Object.fromEntries(
    BOUNDS.flatMap((name) => (typeof fields[name] === 'number' ? [[name, fields[name]]] : [])),
  );
  if ('event' in rule) {
    const [bound] = Object.keys(bounds);
    if (bound === undefined) return { rule, sum };
    const detail = `Only pageviews are measured: leave "${bound}" out, or send a "page".`;
    return { field: bound, code: 'not_allowed', ...inWords(({ faults }) => faults.definitions.measured, detail) };
  }
  if (sum === null) return { rule: { ...rule, ...bounds }, sum };
  const detail = 'Only events have properties to add up: leave "sum" out.';
  return { field: 'sum', code: 'not_allowed', ...inWords(({ faults }) => faults.definitions.sum, detail) };
}

function sentOf({ name: _, ...fields }: GoalInput): GoalInput {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
