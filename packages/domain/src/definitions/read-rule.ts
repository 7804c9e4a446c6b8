import { compareStrings } from '../base/byte-order.ts';
import { echoedName, type Fault, inWords } from '../base/errors.ts';
import { normalizeEscapes } from '../base/url.ts';
import { HIT_LIMITS, UNUSABLE_CHARACTER } from '../hits/hit.ts';
import { FILTER_LIMITS } from '../visits/filters.ts';
import type { HitRule } from '../visits/rules.ts';

/** The fields of a rule: an event with properties, or a page. `null` stands for none. */
export interface RuleFields {
  readonly event: string | null;
  readonly props: Readonly<Record<string, string>> | null;
  readonly page: string | null;
}

/** Unchecked fields of a rule; an absent one is `undefined`. */
export type RuleInput = { readonly [Name in keyof RuleFields]?: RuleFields[Name] | undefined };

/** The fields of a rule, to change some of them. */
export function fieldsOf(rule: HitRule): RuleFields {
  if ('page' in rule) return { event: null, props: null, page: rule.page };
  return { event: rule.event, props: rule.props, page: null };
}

/** The input that makes a rule; fields without a value are absent. */
export function ruleInputOf(rule: HitRule): RuleInput {
  if ('page' in rule) return { page: rule.page };
  return Object.keys(rule.props).length === 0 ? { event: rule.event } : { event: rule.event, props: rule.props };
}

/** The rule that fields make: exactly one of `event` and `page`, and `props` only with `event`. */
export function ruleOf({ event = null, props = null, page = null }: RuleInput): HitRule | Fault {
  if (page === null) {
    // A rule is the same whatever the order of its properties.
    const sorted = Object.entries(props ?? {}).toSorted(([a], [b]) => compareStrings(a, b));
    if (event !== null) return { event, props: Object.fromEntries(sorted) };
    return { field: 'event', code: 'required', detail: 'Send "event" or "page": one of them is required.' };
  }
  if (event !== null) {
    const detail =
      'A rule must have "event" or "page", not both. To switch from one to the other, send the other as null.';
    return { field: 'page', code: 'not_allowed', detail };
  }
  if (props === null || Object.keys(props).length === 0) return { page: normalizeEscapes(page) };
  return { field: 'props', code: 'not_allowed', detail: 'Only events have properties: leave "props" out.' };
}

/** The faults of the fields, each on its own. */
export function ruleFaults({ event, props, page }: RuleInput): Fault[] {
  return [
    ...(event === undefined || event === null ? [] : eventFaults(event)),
    ...(props === undefined || props === null ? [] : propsFaults(props)),
    ...(page === undefined || page === null ? [] : pageFaults(page)),
  ];
}

/** The faults of the name of a property. */
export function propertyNameFaults(field: string, name: string): Fault[] {
  const isValid = name !== '' && [...name].length <= HIT_LIMITS.propName && !UNUSABLE_CHARACTER.test(name);
  const text = inWords(({ faults }) => faults.definitions.property(HIT_LIMITS.propName));
  return isValid ? [] : [{ field, code: 'invalid_name', ...text }];
}

function eventFaults(event: string): Fault[] {
  const text = inWords(({ faults }) => faults.definitions.event(HIT_LIMITS.name));
  if (event === '') return [{ field: 'event', code: 'required', ...text }];
  if ([...event].length > HIT_LIMITS.name) return [{ field: 'event', code: 'too_long', ...text }];
  return /[\p{Cc}\p{Cs}]/u.test(event) ? [{ field: 'event', code: 'invalid_name', ...text }] : [];
}

function propsFaults(props: Readonly<Record<string, string>>): Fault[] {
  const entries = Object.entries(props);
  if (entries.length > HIT_LIMITS.props) {
    const text = inWords(({ faults }) => faults.definitions.properties(HIT_LIMITS.props));
    return [{ field: 'props', code: 'too_many', ...text }];
  }
  return entries.flatMap(([name, value]) => {
    const field = `props.${echoedName(name)}`;
    const faults = propertyNameFaults(field, name);
    return faults.length > 0 ? faults : valueFaults(field, value, HIT_LIMITS.propText);
  });
}

function pageFaults(page: string): Fault[] {
  if (page !== '') return valueFaults('page', page, FILTER_LIMITS.valueLength);
  return [{ field: 'page', code: 'required', ...inWords(({ faults }) => faults.definitions.page) }];
}

function valueFaults(field: string, value: string, maxLength: number): Fault[] {
  if (UNUSABLE_CHARACTER.test(value)) {
    return [{ field, code: 'not_allowed', ...inWords(({ faults }) => faults.unstorable) }];
  }
  if (value.length <= maxLength || [...value].length <= maxLength) return [];
  return [{ field, code: 'too_long', ...inWords(({ faults }) => faults.atMost(maxLength)) }];
}
