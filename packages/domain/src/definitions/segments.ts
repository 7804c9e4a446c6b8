import { compareStrings } from '../base/byte-order.ts';
import { type Fault, InvalidFields, inWords } from '../base/errors.ts';
import type { Filter, FilterSet, Match } from '../visits/filters.ts';
import { type FilterParameters, parameterOf, parameterValuesOf, readFilters } from '../visits/read-filters.ts';
import { type DefinitionChanges, type NewDefinition, nameFaults } from './definition.ts';

/** Unchecked input for a segment. An absent field sets nothing. */
export interface SegmentInput {
  readonly name?: string | undefined;
  readonly filters?: FilterParameters | undefined;
  readonly match?: Match | undefined;
}

/** Checks the input for a new segment; filters match all unless it says otherwise. Throws `InvalidFields` with every fault. */
export function parseNewSegment(input: SegmentInput): NewDefinition<'segment'> {
  const { name, filters: sent = [], match = 'all' } = input;
  const { filters, faults } = readSegmentFilters(sent);
  faults.unshift(...nameFaults(name, true));
  if (faults.length > 0 || name === undefined) throw new InvalidFields(faults);
  return { name, content: { match, filters } };
}

/** Checks changes to a segment; filters replace all stored ones. Throws `InvalidFields` with every fault. */
export function parseSegmentChanges({ name, filters: sent, match }: SegmentInput): DefinitionChanges<'segment'> {
  const read = sent === undefined ? undefined : readSegmentFilters(sent);
  const faults = [...nameFaults(name, false), ...(read?.faults ?? [])];
  if (faults.length > 0) throw new InvalidFields(faults);
  return {
    name,
    change: (content): FilterSet => ({
      match: match ?? content.match,
      filters: read === undefined ? content.filters : read.filters,
    }),
  };
}

/** The filters of a segment by the names of their parameters, and how they match. */
export function segmentInputOf({ filters, match }: FilterSet): {
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly match: Match;
} {
  return {
    filters: Object.fromEntries(filters.map((filter) => [parameterOf(filter), parameterValuesOf(filter)])),
    match,
  };
}

function readSegmentFilters(sent: FilterParameters): { readonly filters: readonly Filter[]; readonly faults: Fault[] } {
  const read = readFilters(sent, false);
  const faults = read.faults.map((fault) => ({ ...fault, field: `filters.${fault.field}` }));
  if (read.filters.length === 0 && faults.length === 0) {
    const detail = 'A segment must have at least one filter.';
    faults.push({ field: 'filters', code: 'required', ...inWords((words) => words.faults.filters.none, detail) });
  }
  // A segment is the same whatever the order of its filters.
  return { filters: read.filters.toSorted((a, b) => compareStrings(parameterOf(a), parameterOf(b))), faults };
}
