import { isDeepStrictEqual } from 'node:util';
import { type Fault, inWords } from '@hitherto/domain/base';
import type { Definition } from '@hitherto/domain/definitions';
import { formatFilter, readTypedBounce, readTypedValue } from '@hitherto/domain/format';
import { DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import {
  echoedParameter,
  FILTER_LIMITS,
  type Filter,
  parameterOf,
  parameterValuesOf,
  readFilters,
} from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import type { FormFields } from '../resource-pages.ts';
import { linesOf } from './definition-pages.tsx';
import { prefixOf, type Rows, rowsIn } from './rows.ts';

// The filters of a segment in a form: a row has a subject, the name of a property, an operator and values, one a line.

/** The goals of the website, which filters name by their ids and people by their names, and the language that people type in. */
export interface KnownGoals {
  readonly goals: readonly Definition<'goal'>[];
  readonly locale: Locale;
}

/** The rows of a segment: as many filters as a request may have. */
export const FILTER_ROWS: Rows = {
  stem: 'filter',
  max: FILTER_LIMITS.filters,
  blank: { subject: '', property: '', operator: '', values: '' },
};

/** A row as it was sent. */
interface Sent {
  readonly row: number;
  readonly subject: string;
  readonly operator: string;
  readonly property: string;
  readonly values: string;
}

/** The filters in the parameters of an address; all other parameters, and faulty ones, are left out. */
export function filtersOfQuery(query: URLSearchParams): readonly Filter[] {
  const names = [...new Set(query.keys())];
  // A row shows no value first.
  const valuesOf = (name: string) => query.getAll(name).toSorted((a, b) => Number(a !== '') - Number(b !== ''));
  const filters = names.flatMap((name) => readFilters([[name, valuesOf(name)]], false).filters);
  return filters.slice(0, FILTER_LIMITS.filters);
}

/** The rows for these filters. */
export function fieldsOfFilters(filters: readonly Filter[], known: KnownGoals): FormFields {
  const names = new Map(known.goals.map(({ id, name }) => [id, name]));
  return Object.assign(
    {},
    ...filters.map((filter, row) => {
      const prefix = prefixOf(FILTER_ROWS, row);
      const subject = filter.kind === 'dimension' ? filter.dimension : filter.kind;
      const property = filter.kind === 'property' ? filter.property : '';
      return {
        [`${prefix}subject`]: subject,
        [`${prefix}property`]: property,
        [`${prefix}operator`]: parameterOf(filter).slice(subjectOf(subject, property).length + 1),
        [`${prefix}values`]: shownValues(known.locale, filter, names).join('\n'),
      };
    }),
  );
}

/** Whether the row of a filter is read as the filter. */
export function isReadBack(filter: Filter, known: KnownGoals): boolean {
  const { filters } = readFilterRows(fieldsOfFilters([filter], known), known);
  return isDeepStrictEqual(readFilters(filters, false).filters, typedFilters(known.locale, [filter]));
}

/** Filters with their values as if they had been typed: `Germany`, which no visit has, becomes `DE`. */
export function typedFilters(locale: Locale, filters: readonly Filter[]): readonly Filter[] {
  return filters.map((filter) => {
    if (filter.kind !== 'dimension') return filter;
    const { dimension, comparator, values } = filter;
    return {
      ...filter,
      values: values.map((value) =>
        value === null ? null : readTypedValue(locale, dimension, comparator, value) || null,
      ),
    };
  });
}

/** Values as they can be typed. */
function shownValues(locale: Locale, filter: Filter, goals: ReadonlyMap<string, string>): readonly string[] {
  if (filter.kind === 'goal') return filter.goals.map((id) => goals.get(id) ?? id);
  const stored = parameterValuesOf(filter);
  if (filter.kind === 'bounce') return filter.values.map((value) => locale.words.filters.bounces[value]);
  if (filter.kind === 'property') return stored;
  const { dimension, comparator } = filter;
  const words = formatFilter(locale, filter, goals).values;
  return stored.map((value, index) => {
    const shown = words[index] ?? value;
    return readTypedValue(locale, dimension, comparator, shown) === value ? shown : value;
  });
}

/** The filters in a form, by the names of their parameters, and the faults that only a form can have. */
export function readFilterRows(
  fields: FormFields,
  known: KnownGoals,
): { readonly filters: readonly (readonly [string, readonly string[]])[]; readonly faults: readonly Fault[] } {
  const { segment } = known.locale.words.resources;
  const filters = new Map<string, readonly string[]>();
  const faults: Fault[] = [];
  for (const sent of sentRows(fields)) {
    const prefix = prefixOf(FILTER_ROWS, sent.row);
    const parameter = parameterOfRow(sent);
    if (sent.subject === '') {
      faults.push({ field: `${prefix}subject`, code: 'required', detail: segment.noSubject });
    } else if (filters.has(parameter)) {
      faults.push({ field: `${prefix}subject`, code: 'repeated', detail: segment.repeated });
    } else filters.set(parameter, readValues(sent, known));
  }
  return { filters: [...filters], faults };
}

/** A fault of a filter, at the first row that it can be about. */
export function placeFilterFault(fault: Fault, fields: FormFields, known: KnownGoals): Fault {
  const [, parameter] = /^filters\.(.*)$/su.exec(fault.field) ?? [];
  const sent = sentRows(fields).find((row) => echoedParameter(parameterOfRow(row)) === parameter);
  if (parameter === undefined || sent === undefined) return fault;
  const { segment } = known.locale.words.resources;
  const prefix = prefixOf(FILTER_ROWS, sent.row);
  if (fault.code === 'invalid_name') return { ...fault, field: `${prefix}property` };
  if (fault.code === 'unknown_goal') {
    const detail = segment.unknownGoal(known.goals.map(({ name }) => name).join(', '));
    return { ...fault, field: `${prefix}values`, ...inWords(() => detail) };
  }
  if (fault.code !== 'unknown') return { ...fault, field: `${prefix}values` };
  const onlyIs = ['goal', 'bounce'].includes(sent.subject);
  const detail = onlyIs ? segment.onlyIs : segment.unknownOption;
  return { ...fault, field: `${prefix}${onlyIs ? 'operator' : 'subject'}`, ...inWords(() => detail) };
}

/** The rows of a form that are not empty. */
function sentRows(fields: FormFields): Sent[] {
  return rowsIn(FILTER_ROWS, fields)
    .map((row) => {
      const sent = (name: string) => fields[`${prefixOf(FILTER_ROWS, row)}${name}`] ?? '';
      return {
        row,
        subject: sent('subject'),
        operator: sent('operator'),
        property: sent('property').trim(),
        values: sent('values'),
      };
    })
    .filter(({ subject, values }) => subject !== '' || values.trim() !== '');
}

function parameterOfRow({ subject, operator, property }: Sent): string {
  const name = subjectOf(subject, property);
  return operator === '' ? name : `${name}.${operator}`;
}

/** The name of a parameter before its operator. */
function subjectOf(subject: string, property: string): string {
  return subject === 'property' ? `props[${property}]` : subject;
}

/** The stored values of a row. An empty field, or an empty first line, stands for none. */
function readValues({ subject, operator, values }: Sent, { goals, locale }: KnownGoals): string[] {
  const lines = linesOf(values).map(({ text }) => text.trim());
  if (subject === 'goal') return lines.map((line) => goals.find(({ name }) => name === line)?.id ?? line);
  if (subject === 'bounce') return lines.map((line) => readTypedBounce(locale, line));
  const typed = lines.length === 0 || /^[^\S\r\n]*[\r\n]/.test(values) ? ['', ...lines] : lines;
  const dimension = DIMENSIONS.find((name) => name === subject);
  return dimension === undefined ? typed : typed.map((line) => typedValue(locale, dimension, operator, line));
}

function typedValue(locale: Locale, dimension: Dimension, operator: string, line: string): string {
  const comparator = operator.endsWith('like') ? 'like' : operator.endsWith('contains') ? 'contains' : 'is';
  return line === '' ? '' : readTypedValue(locale, dimension, comparator, line);
}
