import { parameterOf } from '@hitherto/domain';
import { type FilterWords, filterSentence, formatFilter } from '@hitherto/domain/format';
import { newDefinitionPath, websitePath } from '../shared/paths.ts';
import type { AddFilterForm, Suggestion } from './add-filter.ts';
import { type Definitions, goalNames } from './definitions.ts';
import {
  filterParametersOf,
  hrefOf,
  parametersOf,
  type Selection,
  withoutFilter,
  withoutFilters,
} from './selection.ts';

/** The filters in force, with ways to remove them and to add others. */
export interface FilterBarView {
  readonly filters: readonly { readonly key: string; readonly words: FilterWords; readonly removeHref: string }[];
  /** The segment in force. */
  readonly segment: { readonly name: string; readonly sentence: string; readonly removeHref: string } | undefined;
  /** Only where there is more than one thing to remove. */
  readonly removeAllHref: string | undefined;
  /** Whether all filters must match or any, and the page with the other choice; from two filters on. */
  readonly match: { readonly isAny: boolean; readonly otherHref: string } | undefined;
  readonly form: FormView;
  readonly segments: readonly { readonly name: string; readonly href: string; readonly isChosen: boolean }[];
  /** Only for the owner: where the filters become a segment, and where segments are changed. */
  readonly owner: { readonly saveHref: string | undefined; readonly segmentsHref: string } | undefined;
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
  readonly websiteId: string;
  readonly selection: Selection;
  readonly definitions: Definitions;
  readonly isOwner: boolean;
  /** The path of the page with a selection. */
  readonly pathOf: (selection: Selection) => string;
  readonly form: Omit<FormView, 'action' | 'kept'>;
}

export function makeFilterBar(sources: FilterBarSources): FilterBarView {
  const { websiteId, selection, definitions, pathOf } = sources;
  const names = goalNames(definitions);
  const to = (other: Selection) => hrefOf(pathOf(other), other);
  const segment = definitions.segments.find(({ id }) => id === selection.segment);
  const { filters, match } = selection;
  const count = filters.length + (segment === undefined ? 0 : 1);
  return {
    filters: filters.map((filter) => ({
      key: parameterOf(filter),
      words: formatFilter(filter, names),
      removeHref: to(withoutFilter(selection, parameterOf(filter))),
    })),
    segment: segment && {
      name: segment.name,
      sentence: segment.content.filters
        .map((filter) => filterSentence(filter, names))
        .join(segment.content.match === 'any' ? ', or ' : ', and '),
      removeHref: to({ ...selection, segment: undefined }),
    },
    removeAllHref: count > 1 ? to(withoutFilters(selection)) : undefined,
    match:
      filters.length > 1
        ? { isAny: match === 'any', otherHref: to({ ...selection, match: match === 'any' ? 'all' : 'any' }) }
        : undefined,
    form: { ...sources.form, action: pathOf(selection), kept: [...parametersOf(selection)] },
    segments: definitions.segments.map(({ id, name }) => ({
      name,
      href: to({ ...selection, segment: id }),
      isChosen: id === selection.segment,
    })),
    owner: sources.isOwner ? ownerLinks(websiteId, selection) : undefined,
  };
}

function ownerLinks(websiteId: string, selection: Selection): FilterBarView['owner'] {
  const parameters = new URLSearchParams(filterParametersOf(selection)).toString();
  return {
    saveHref: parameters === '' ? undefined : `${newDefinitionPath(websiteId, 'segments')}?${parameters}`,
    segmentsHref: websitePath(websiteId, 'segments'),
  };
}
