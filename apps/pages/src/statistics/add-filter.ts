import {
  type Filter,
  type FilterParameters,
  parameterOf,
  parameterValuesOf,
  readFilters,
  type StatisticsQuery,
  type StatisticsRepository,
} from '@hitherto/domain';
import { formatValue, readTypedValue } from '@hitherto/domain/format';
import { FILTER_OPERATORS, FILTER_SUBJECTS, type FilterSubject } from '../shared/filter-choices.ts';
import type { Definitions } from './definitions.ts';
import { isDimension, type Selection, withFilter } from './selection.ts';

/** The form that adds a filter, as it was sent (statistics.md, section 6). */
export interface AddFilterForm {
  readonly subject: FilterSubject;
  readonly operator: string;
  readonly value: string;
  /** The name of the property, if that is the subject. */
  readonly name: string;
  readonly fault: string | undefined;
}

export const EMPTY_FORM: AddFilterForm = { subject: 'page', operator: '', value: '', name: '', fault: undefined };

/** Reads the form: the selection with the new filter, or the form with its fault; `undefined` if it was not sent. */
export function readAddFilter(
  query: URLSearchParams,
  selection: Selection,
  definitions: Definitions,
): Selection | AddFilterForm | undefined {
  const form = readForm(query);
  if (form === undefined) return undefined;
  const { subject, value } = form;
  const stored = storedValue(form, definitions);
  if (subject === 'goal' && stored === undefined) return { ...form, fault: 'Choose one of the goals.' };
  if (stored === undefined || (value === '' && subject !== 'property')) {
    return { ...form, fault: 'Enter a value, or choose one of the suggestions.' };
  }
  const parameter = parameterFor(form);
  const earlier = selection.filters.find((filter) => parameterOf(filter) === parameter);
  const values = [...new Set([...(earlier === undefined ? [] : parameterValuesOf(earlier)), stored])];
  const read = readOne([[parameter, values]]);
  if (typeof read === 'string') return { ...form, fault: read };
  return withFilter(selection, read) ?? { ...form, fault: 'A page has at most ten filters. Remove one first.' };
}

/** The subject that the form was sent with, for its suggestions. */
export function readSubject(query: URLSearchParams): FilterSubject | undefined {
  return readForm(query)?.subject;
}

function readForm(query: URLSearchParams): AddFilterForm | undefined {
  const sent = query.get('add');
  if (sent === null) return undefined;
  const subject = FILTER_SUBJECTS.find(([known]) => known === sent)?.[0] ?? EMPTY_FORM.subject;
  const operator = FILTER_OPERATORS.find(([known]) => known === query.get('operator'))?.[0] ?? EMPTY_FORM.operator;
  const text = (name: string) => query.get(name)?.trim() ?? '';
  return { subject, operator, value: text('value'), name: text('name'), fault: undefined };
}

function parameterFor({ subject, operator, name }: AddFilterForm): string {
  const parameter = subject === 'property' ? `props[${name}]` : subject;
  return operator === '' ? parameter : `${parameter}.${operator}`;
}

function storedValue({ subject, operator, value }: AddFilterForm, { goals }: Definitions): string | undefined {
  if (subject === 'goal') return goals.find(({ id, name }) => name === value || id === value.toLowerCase())?.id;
  if (subject === 'property') return value;
  const comparator = operator.replace(/^not_/, '');
  return readTypedValue(subject, comparator === 'contains' || comparator === 'like' ? comparator : 'is', value);
}

function readOne(parameters: FilterParameters): Filter | string {
  const { filters, faults } = readFilters(parameters, false);
  return filters[0] ?? faults[0]?.detail ?? '';
}

/** A value that a filter can ask for, and how people read it. */
export interface Suggestion {
  readonly value: string;
  readonly label: string;
}

const MAX_SUGGESTIONS = 50;

/** The most frequent values of a subject among the visits of the query. A property has none without its event. */
export async function suggestionsFor(
  { statistics }: { readonly statistics: Pick<StatisticsRepository, 'values'> },
  query: StatisticsQuery,
  subject: FilterSubject,
  { goals }: Definitions,
): Promise<Suggestion[]> {
  if (subject === 'goal') return goals.map(({ name }) => ({ value: name, label: name }));
  if (!isDimension(subject)) return [];
  const { rows } = await statistics.values(query, subject, MAX_SUGGESTIONS);
  return rows.map(({ value }) => {
    const label = formatValue(subject, value);
    // Names are easier to find than codes, where they can be read back.
    const isReadable = readTypedValue(subject, 'is', label) === (value ?? '');
    return { value: isReadable ? label : (value ?? ''), label };
  });
}
