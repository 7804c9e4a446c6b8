import { toldIn } from '@hitherto/domain/base';
import type { Definitions } from '@hitherto/domain/definitions';
import type { StatisticsQuery, StatisticsReads } from '@hitherto/domain/engine';
import {
  type FilterWords,
  filterSentence,
  formatFilter,
  formatValue,
  readTypedBounce,
  readTypedValue,
} from '@hitherto/domain/format';
import {
  FILTER_LIMITS,
  type Filter,
  type FilterParameters,
  type Hidden,
  parameterOf,
  parameterValuesOf,
  readFilters,
} from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import { FILTER_OPERATORS, FILTER_SUBJECTS, type FilterSubject } from '../shared/filter-choices.ts';
import { newResourcePath, websitePath } from '../shared/paths.ts';
import { goalNames } from './definitions.ts';
import {
  filterParametersOf,
  hrefOf,
  isDimension,
  parametersOf,
  type Selection,
  withFilter,
  withoutFilter,
  withoutFilters,
} from './selection.ts';

/** The filters in force, with ways to remove them and to add others. */
export interface FilterBarView {
  readonly filters: readonly { readonly key: string; readonly words: FilterWords; readonly removeHref: string }[];
  /** The segment in force. */
  readonly segment: { readonly name: string; readonly sentence: string; readonly removeHref: string } | undefined;
  /** Whether hidden visits count, too, or alone. */
  readonly hidden: { readonly which: Hidden; readonly removeHref: string } | undefined;
  /** Only where there is more than one thing to remove. */
  readonly removeAllHref: string | undefined;
  /** Whether all filters must match or any, and the page with the other choice; from two filters on. */
  readonly match: { readonly isAny: boolean; readonly otherHref: string } | undefined;
  readonly form: FormView;
  readonly segments: readonly SegmentChoice[];
  /** Only for viewers who may change settings: where the filters become a segment, and where segments are changed. */
  readonly owner:
    | {
        /** Where the filters are saved as a segment; `undefined` without filters. */
        readonly saveHref: string | undefined;
        /** Where the visits that they choose are hidden. */
        readonly hideHref: string | undefined;
        readonly segmentsHref: string;
      }
    | undefined;
}

/** A segment of the website, which a viewer can choose. */
export interface SegmentChoice {
  readonly id: string;
  readonly name: string;
  /** `undefined` where there are as many filters as a request may have. */
  readonly href: string | undefined;
  readonly isChosen: boolean;
}

/** The form that adds a filter. */
export interface FormView {
  readonly action: string;
  /** The parameters of the page, which the form repeats. */
  readonly kept: readonly (readonly [name: string, value: string])[];
  readonly fields: AddFilterForm;
  /** Whether the form was sent, and is open. */
  readonly isOpen: boolean;
  readonly suggestions: readonly Suggestion[];
  /** Where a script finds the suggestions for another subject. */
  readonly suggestionsHref: string;
}

/** The sources of the bar. */
export interface FilterBarSources {
  readonly locale: Locale;
  readonly websiteId: string;
  readonly selection: Selection;
  readonly definitions: Definitions;
  readonly hasSettings: boolean;
  /** The path of the page with a selection. */
  readonly pathOf: (selection: Selection) => string;
  readonly form: Omit<FormView, 'action' | 'kept'>;
}

/** The bar of a page, whose links lead to the same page with other selections. */
export function makeFilterBar(sources: FilterBarSources): FilterBarView {
  const { locale, websiteId, selection, definitions, pathOf } = sources;
  const { filterBar, filters: filterWords } = locale.words;
  const names = goalNames(definitions);
  const to = (other: Selection) => hrefOf(pathOf(other), other);
  const segment = definitions.segments.find(({ id }) => id === selection.segment);
  const { filters, match } = selection;
  const count = filters.length + (segment === undefined ? 0 : 1);
  const hasRoom = selection.segment !== undefined || filters.length < FILTER_LIMITS.filters;
  return {
    filters: filters.map((filter) => ({
      key: parameterOf(filter),
      words: formatFilter(locale, filter, names),
      removeHref: to(withoutFilter(selection, parameterOf(filter))),
    })),
    segment: segment && {
      name: segment.name,
      sentence: segment.content.filters
        .map((filter) => filterSentence(locale, filter, names))
        .join(segment.content.match === 'any' ? `, ${filterWords.or} ` : `, ${filterBar.and} `),
      removeHref: to({ ...selection, segment: undefined }),
    },
    hidden: selection.hidden && {
      which: selection.hidden,
      removeHref: to({ ...selection, hidden: undefined }),
    },
    removeAllHref: count > 1 ? to(withoutFilters(selection)) : undefined,
    match:
      filters.length > 1
        ? { isAny: match === 'any', otherHref: to({ ...selection, match: match === 'any' ? 'all' : 'any' }) }
        : undefined,
    form: { ...sources.form, action: pathOf(selection), kept: [...parametersOf(selection)] },
    segments: definitions.segments.map(({ id, name }) => ({
      id,
      name,
      href: hasRoom ? to({ ...selection, segment: id }) : undefined,
      isChosen: id === selection.segment,
    })),
    owner: sources.hasSettings ? ownerLinks(websiteId, selection) : undefined,
  };
}

function ownerLinks(websiteId: string, selection: Selection): FilterBarView['owner'] {
  const parameters = new URLSearchParams(filterParametersOf(selection)).toString();
  return {
    saveHref: parameters === '' ? undefined : `${newResourcePath(websitePath(websiteId, 'segments'))}?${parameters}`,
    segmentsHref: websitePath(websiteId, 'segments'),
    hideHref: hideHref(websiteId, selection),
  };
}

/** Where the visits are hidden that the filters choose; `undefined` without filters, and with a segment, which a rule cannot have. */
export function hideHref(websiteId: string, selection: Selection): string | undefined {
  const parameters = new URLSearchParams(filterParametersOf(selection)).toString();
  return parameters === '' || selection.segment !== undefined
    ? undefined
    : `${newResourcePath(websitePath(websiteId, 'cleanups'))}?${parameters}`;
}

/** The form that adds a filter, as it was sent (pages.md). */
export interface AddFilterForm {
  readonly subject: FilterSubject;
  readonly operator: string;
  readonly value: string;
  /** The name of the property, if that is the subject. */
  readonly name: string;
  readonly fault: FormFault | undefined;
}

export interface FormFault {
  readonly field: 'name' | 'value';
  readonly detail: string;
}

export const EMPTY_FORM: AddFilterForm = { subject: 'page', operator: '', value: '', name: '', fault: undefined };

/** Reads the form: the selection with the new filter, or the form with its fault; `undefined` if it was not sent. */
export function readAddFilter(
  locale: Locale,
  query: URLSearchParams,
  selection: Selection,
  definitions: Definitions,
): Selection | AddFilterForm | undefined {
  const form = readForm(query);
  if (form === undefined) return undefined;
  const { filterBar } = locale.words;
  const { subject, value } = form;
  const atValue = (detail: string): AddFilterForm => ({ ...form, fault: { field: 'value', detail } });
  const stored = storedValue(locale, form, definitions);
  if (subject === 'goal' && stored === undefined) return atValue(filterBar.chooseGoal);
  if (stored === undefined || (value === '' && subject !== 'property')) {
    return atValue(filterBar.enterValue);
  }
  const parameter = parameterFor(form);
  const earlier = selection.filters.find((filter) => parameterOf(filter) === parameter);
  const values = [...new Set([...(earlier === undefined ? [] : parameterValuesOf(earlier)), stored])];
  const read = readOne(locale, [[parameter, values]]);
  if ('detail' in read) return { ...form, fault: read };
  return withFilter(selection, read) ?? atValue(filterBar.tooMany);
}

/** The subject that the form was sent with, for its suggestions. */
export function readSubject(query: URLSearchParams): FilterSubject | undefined {
  return readForm(query)?.subject;
}

function readForm(query: URLSearchParams): AddFilterForm | undefined {
  const sent = query.get('add');
  if (sent === null) return undefined;
  const subject = FILTER_SUBJECTS.find((known) => known === sent) ?? EMPTY_FORM.subject;
  const operator = FILTER_OPERATORS.find((known) => known === query.get('operator')) ?? EMPTY_FORM.operator;
  const text = (name: string) => query.get(name)?.trim() ?? '';
  return { subject, operator, value: text('value'), name: text('name'), fault: undefined };
}

function parameterFor({ subject, operator, name }: AddFilterForm): string {
  const parameter = subject === 'property' ? `props[${name}]` : subject;
  return operator === '' ? parameter : `${parameter}.${operator}`;
}

function storedValue(
  locale: Locale,
  { subject, operator, value }: AddFilterForm,
  { goals }: Definitions,
): string | undefined {
  if (subject === 'goal') return goals.find(({ id, name }) => name === value || id === value.toLowerCase())?.id;
  if (subject === 'property') return value;
  if (subject === 'bounce') return value && readTypedBounce(locale, value);
  const comparator = operator.replace(/^not_/, '');
  return readTypedValue(locale, subject, comparator === 'contains' || comparator === 'like' ? comparator : 'is', value);
}

function readOne({ words }: Locale, parameters: FilterParameters): Filter | FormFault {
  const { filters, faults } = readFilters(parameters, false);
  const [fault] = faults;
  return (
    filters[0] ?? {
      field: fault?.code === 'invalid_name' ? 'name' : 'value',
      detail: fault === undefined ? '' : toldIn(words, fault),
    }
  );
}

/** A value that a filter can ask for, and how people read it. */
export interface Suggestion {
  readonly value: string;
  readonly label: string;
}

const MAX_SUGGESTIONS = 50;

/** The most frequent values of a subject among the visits of the query. A property has none without its event. */
export async function suggestionsFor(
  locale: Locale,
  { statistics }: { readonly statistics: Pick<StatisticsReads, 'values'> },
  query: StatisticsQuery,
  subject: FilterSubject,
  { goals }: Definitions,
): Promise<Suggestion[]> {
  if (subject === 'goal') return goals.map(({ name }) => ({ value: name, label: name }));
  if (subject === 'bounce')
    return Object.values(locale.words.filters.bounces).map((word) => ({ value: word, label: word }));
  if (!isDimension(subject)) return [];
  const { rows } = await statistics.values(query, subject, MAX_SUGGESTIONS);
  return rows.map(({ value }) => {
    const label = formatValue(locale, subject, value);
    // Names are easier to find than codes, where they can be read back.
    const isReadable = readTypedValue(locale, subject, 'is', label) === (value ?? '');
    return { value: isReadable ? label : (value ?? ''), label };
  });
}
