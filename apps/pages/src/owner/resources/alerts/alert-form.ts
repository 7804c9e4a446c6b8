import { ALERT_RULES, type AlertInput, type AlertRule } from '@hitherto/domain/alerts';
import type { Fault } from '@hitherto/domain/base';
import type { FormFields } from '../resource-pages.ts';

/** The fields of the form that only some rules have, and their names in the API. */
const INPUTS = {
  visitors: 'threshold',
  conversions: 'threshold',
  hours: 'hours',
  percent: 'percent',
  goal_id: 'goal_id',
} as const;
export type RuleField = keyof typeof INPUTS;

const RULE_FIELDS: Readonly<Record<AlertRule, readonly RuleField[]>> = {
  spike: ['visitors'],
  drop: [],
  silence: ['hours'],
  goal: ['goal_id', 'conversions'],
  dropped: ['percent'],
};

/** The rule that is chosen, with its fields. */
function ruleOf(values: FormFields) {
  const rule = ALERT_RULES.find((name) => name === values.rule);
  return { rule, fields: rule === undefined ? [] : RULE_FIELDS[rule] };
}

/**
 * The input of a form. Fields of other rules do not count: they are hidden. A field that is left empty sets nothing; one that is
 * not a number is a fault of its range.
 */
export function inputOf(values: FormFields): AlertInput {
  const { rule, fields } = ruleOf(values);
  const input = fields.map((field) => {
    const text = values[field]?.trim() || null;
    return [INPUTS[field], text === null || field === 'goal_id' ? text : Number(text)];
  });
  return { rule, ...Object.fromEntries(input), email: values.email === '1', webhooks: values.webhooks === '1' };
}

/** A fault of the input, at the field of the form. */
export function placeFault(fault: Fault, values: FormFields): Fault {
  const field = ruleOf(values).fields.find((name) => INPUTS[name] === fault.field);
  return field === undefined ? fault : { ...fault, field };
}
