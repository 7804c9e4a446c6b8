import { type Fault, InvalidFields, inWords } from '../base/errors.ts';
import {
  type DefinitionChanges,
  type FunnelContent,
  type FunnelStep,
  type NewDefinition,
  nameFaults,
} from './definition.ts';
import { type RuleInput, ruleFaults, ruleInputOf, ruleOf } from './read-rule.ts';

/** Unchecked input for a step of a funnel. */
export interface StepInput extends RuleInput {
  readonly name?: string | undefined;
}

/** Unchecked input for a funnel. An absent field sets nothing. */
export interface FunnelInput {
  readonly name?: string | undefined;
  readonly steps?: readonly StepInput[] | undefined;
  readonly strict?: boolean | undefined;
}

/** How many steps a funnel has (api.md, "Segments, goals and funnels"). */
export const STEP_LIMITS = { min: 2, max: 8 } as const;

/** Checks the input for a new funnel. Throws `InvalidFields` with every fault. */
export function parseNewFunnel({ name, steps: sent, strict }: FunnelInput): NewDefinition<'funnel'> {
  const { steps, faults } = readSteps(sent);
  faults.unshift(...nameFaults(name, true));
  if (faults.length > 0 || name === undefined) throw new InvalidFields(faults);
  return { name, content: contentOf(steps, strict) };
}

/** Checks changes to a funnel; steps replace all stored ones. Throws `InvalidFields` with every fault. */
export function parseFunnelChanges({ name, steps: sent, strict }: FunnelInput): DefinitionChanges<'funnel'> {
  const read = sent === undefined ? undefined : readSteps(sent);
  const faults = [...nameFaults(name, false), ...(read?.faults ?? [])];
  if (faults.length > 0) throw new InvalidFields(faults);
  return {
    name,
    change: ({ steps, isStrict }) => contentOf(read?.steps ?? steps, strict ?? isStrict),
  };
}

/** The input that makes this content; fields without a value are absent. */
export function funnelInputOf({ steps, isStrict = false }: FunnelContent): {
  readonly steps: readonly StepInput[];
  readonly strict: boolean;
} {
  return { steps: steps.map(({ name, rule }) => ({ name, ...ruleInputOf(rule) })), strict: isStrict };
}

function contentOf(steps: readonly FunnelStep[], isStrict = false): FunnelContent {
  return { steps, ...(isStrict ? { isStrict } : {}) };
}

function readSteps(sent: readonly StepInput[] = []): {
  readonly steps: readonly FunnelStep[];
  readonly faults: Fault[];
} {
  const { min, max } = STEP_LIMITS;
  const text = inWords((words) => words.faults.definitions.steps(min, max));
  if (sent.length === 0) return { steps: [], faults: [{ field: 'steps', code: 'required', ...text }] };
  if (sent.length < min) return { steps: [], faults: [{ field: 'steps', code: 'not_allowed', ...text }] };
  if (sent.length > max) return { steps: [], faults: [{ field: 'steps', code: 'too_many', ...text }] };
  const faults: Fault[] = [];
  const steps = sent.flatMap((step, index): FunnelStep[] => {
    const found = [...nameFaults(step.name, true), ...ruleFaults(step)];
    const rule = ruleOf(step);
    if ('field' in rule && found.every(({ field }) => field !== rule.field)) found.push(rule);
    faults.push(...found.map((fault) => ({ ...fault, field: `steps.${index}.${fault.field}` })));
    return step.name === undefined || 'field' in rule ? [] : [{ name: step.name, rule }];
  });
  return { steps, faults };
}
