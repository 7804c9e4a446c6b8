import { DIMENSION_TABLE } from '@hitherto/domain';
import { formatValue } from '@hitherto/domain/format';
import { hrefOf, type Selection, withoutFilter } from './selection.ts';

interface FilterChipsProps {
  /** The path of the page with other filters. */
  readonly pathOf: (selection: Selection) => string;
  readonly selection: Selection;
}

/** The filters in force, each with a way to remove it. */
export function FilterChips({ pathOf, selection }: FilterChipsProps) {
  const { filters } = selection;
  if (filters.length === 0) return null;
  const hrefTo = (remaining: Selection) => hrefOf(pathOf(remaining), remaining);
  return (
    <ul class="filters" aria-label="Filters">
      {filters.map(({ dimension, value }) => (
        <li key={dimension}>
          <span class="filter">
            {DIMENSION_TABLE[dimension].words.one} is <strong>{formatValue(dimension, value)}</strong>
          </span>
          <a href={hrefTo(withoutFilter(selection, dimension))}>
            <span class="unseen">Remove the filter of {DIMENSION_TABLE[dimension].words.one.toLowerCase()}</span>
            <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      {filters.length > 1 && (
        <li class="all">
          <a href={hrefTo({ ...selection, filters: [], property: undefined })}>Remove all</a>
        </li>
      )}
    </ul>
  );
}
