import { type Fault, inWords } from '../base/errors.ts';
import { DIMENSIONS } from '../hits/dimensions.ts';
import { UNUSABLE_CHARACTER } from '../hits/hit.ts';
import { BOUNCES, type Bounce, type Comparator, FILTER_LIMITS, type Filter, spelledAsStored } from './filters.ts';

/** The operators that stand behind the dot of a parameter (api.md, "Filters"). */
export const OPERATORS = ['not', 'contains', 'not_contains', 'like', 'not_like'] as const;
type Operator = (typeof OPERATORS)[number];

/** Filters as they were sent: the name of each parameter, and its values. */
export type FilterParameters = Iterable<readonly [name: string, values: readonly string[]]>;

/** The filters of a request or a segment, the segment that a request adds, and all faults. */
export interface ReadFilters {
  readonly filters: readonly Filter[];
  /** An id in lower case, not checked. */
  readonly segment: string | undefined;
  readonly faults: readonly Fault[];
}

/**
 * Reads filters. Faulty ones are left out, and each has one fault, whose field is the parameter's name.
 *
 * @param allowsSegment whether `segment` is a filter; not in a segment
 */
export function readFilters(parameters: FilterParameters, allowsSegment: boolean): ReadFilters {
  const filters: Filter[] = [];
  const faults: Fault[] = [];
  let segment: string | undefined;
  let count = 0;
  for (const [name, values] of parameters) {
    const read = name === 'segment' && allowsSegment ? readSegment(values) : readFilter(name, values);
    if ('code' in read) {
      faults.push({ field: echoedParameter(name), ...read });
      continue;
    }
    count += 1;
    if (count > FILTER_LIMITS.filters) {
      const text = inWords((words) => words.faults.filters.tooMany(FILTER_LIMITS.filters));
      faults.push({ field: echoedParameter(name), code: 'too_many', ...text });
      break;
    }
    if ('segment' in read) segment = read.segment;
    else filters.push(read);
  }
  return { filters, segment, faults };
}

type Rejection = Omit<Fault, 'field'>;

function readSegment(values: readonly string[]): { readonly segment: string } | Rejection {
  const [segment, ...others] = values;
  if (segment === undefined || others.length > 0) {
    return { code: 'repeated', detail: 'A request must have at most one segment.' };
  }
  return { segment: segment.toLowerCase() };
}

function readFilter(name: string, values: readonly string[]): Filter | Rejection {
  const { subject, operator } = splitName(name);
  const property = /^props\[(.*)\]$/su.exec(subject)?.[1];
  const dimension = DIMENSIONS.find((known) => known === subject);
  const isOther = subject === 'goal' || subject === 'bounce';
  if (property === undefined && dimension === undefined && !isOther) return UNKNOWN_FILTER;
  const read = operator === undefined ? IS : READ_OPERATORS.get(operator);
  if (read === undefined) return UNKNOWN_OPERATOR;
  if (isOther && read.comparator !== 'is') return onlyIs(subject);
  const fault = (property === undefined ? undefined : propertyFault(property)) ?? valuesFault(values, read.comparator);
  if (fault !== undefined) return fault;
  if (property !== undefined) return { kind: 'property', property, ...read, values: stored(values) };
  if (dimension !== undefined) {
    const spelled = values.map((value) => spelledAsStored(dimension, value));
    return { kind: 'dimension', dimension, ...read, values: stored(spelled) };
  }
  const { isNegated } = read;
  if (subject === 'goal') return { kind: 'goal', isNegated, goals: values.map((id) => id.toLowerCase()) };
  return values.every(isBounce) ? { kind: 'bounce', isNegated, values } : BOUNCE_VALUE;
}

function isBounce(value: string): value is Bounce {
  return BOUNCES.some((known) => known === value);
}

interface ReadOperator {
  readonly comparator: Comparator;
  readonly isNegated: boolean;
}

const IS: ReadOperator = { comparator: 'is', isNegated: false };

const READ_OPERATORS: ReadonlyMap<string, ReadOperator> = new Map<Operator, ReadOperator>([
  ['not', { comparator: 'is', isNegated: true }],
  ['contains', { comparator: 'contains', isNegated: false }],
  ['not_contains', { comparator: 'contains', isNegated: true }],
  ['like', { comparator: 'like', isNegated: false }],
  ['not_like', { comparator: 'like', isNegated: true }],
]);

/** The name of the parameter that a filter is written as: `country.not`. */
export function parameterOf(filter: Filter): string {
  const subject =
    filter.kind === 'dimension'
      ? filter.dimension
      : filter.kind === 'property'
        ? `props[${filter.property}]`
        : filter.kind;
  const comparator = 'comparator' in filter ? filter.comparator : 'is';
  if (comparator === 'is') return filter.isNegated ? `${subject}.not` : subject;
  return `${subject}.${filter.isNegated ? 'not_' : ''}${comparator}`;
}

/** The values of the parameter that a filter is written as. */
export function parameterValuesOf(filter: Filter): readonly string[] {
  return filter.kind === 'goal' ? filter.goals : filter.values.map((value) => value ?? '');
}

/** Splits a name at the dot before its operator. The name of a property may hold dots and brackets itself. */
function splitName(name: string): { readonly subject: string; readonly operator: string | undefined } {
  const [, subject, operator] = /^(props\[.*\]|[^.]*)(?:\.(.*))?$/su.exec(name) ?? [];
  return { subject: subject ?? name, operator };
}

function propertyFault(property: string): Rejection | undefined {
  const length = [...property].length;
  if (length >= 1 && length <= FILTER_LIMITS.propertyLength && !UNUSABLE_CHARACTER.test(property)) return undefined;
  return {
    code: 'invalid_name',
    ...inWords(({ faults }) => faults.definitions.property(FILTER_LIMITS.propertyLength)),
  };
}

function valuesFault(values: readonly string[], comparator: Comparator): Rejection | undefined {
  if (values.length === 0) return { code: 'required', ...inWords(({ faults }) => faults.filters.noValue) };
  if (values.length > FILTER_LIMITS.values) {
    return { code: 'too_many', ...inWords(({ faults }) => faults.filters.values(FILTER_LIMITS.values)) };
  }
  if (values.some((value) => value.length > FILTER_LIMITS.valueLength && isTooLong(value))) {
    return { code: 'too_long', ...inWords(({ faults }) => faults.filters.long(FILTER_LIMITS.valueLength)) };
  }
  if (values.some((value) => UNUSABLE_CHARACTER.test(value))) {
    return { code: 'not_allowed', ...inWords(({ faults }) => faults.filters.unstorable) };
  }
  if (comparator !== 'is' && values.includes('')) {
    return {
      code: 'required',
      ...inWords(({ faults }) => faults.filters.empty, `The value of "${comparator}" is empty.`),
    };
  }
  return undefined;
}

function isTooLong(value: string): boolean {
  return [...value].length > FILTER_LIMITS.valueLength;
}

/** Values as visits have them: an empty one stands for none. */
function stored(values: readonly string[]): readonly (string | null)[] {
  return values.map((value) => (value === '' ? null : value));
}

/** The name of a parameter, as a fault's field may repeat it: with its dots and brackets. */
export function echoedParameter(name: string): string {
  return name.replaceAll(/[^\w.[\]-]/gu, '_');
}

const UNKNOWN_FILTER: Rejection = {
  code: 'unknown',
  detail: `This filter is unknown. Filters are ${DIMENSIONS.join(', ')}, props[NAME], goal and bounce.`,
};

const UNKNOWN_OPERATOR: Rejection = {
  code: 'unknown',
  detail: `This operator is unknown. A filter ends with ${OPERATORS.map((operator) => `.${operator}`).join(', ')}, or without one.`,
};

function onlyIs(subject: string): Rejection {
  return { code: 'unknown', detail: `A filter by "${subject}" must be written as "${subject}" or "${subject}.not".` };
}

const BOUNCE_VALUE: Rejection = {
  code: 'not_allowed',
  ...inWords(
    ({ faults }) => faults.filters.bounce,
    'The value of "bounce" must be 1, for visits of one pageview and no event, or 0, for all others.',
  ),
};
