import { formatValue, wordsOf } from '@hitherto/domain/format';
import { hrefOf, type Selection, withoutFilter } from '../statistics/selection.ts';

interface FilterChipsProps {
  readonly path: string;
  readonly selection: Selection;
}

/** The filters in force, each with a way to remove it. */
export function FilterChips({ path, selection }: FilterChipsProps) {
  const { filters } = selection;
  if (filters.length === 0) return null;
  return (
    <ul class="filters" aria-label="Filters">
      {filters.map(({ dimension, value }) => (
        <li key={dimension}>
          <span class="filter">
            {wordsOf(dimension).one} is <strong>{formatValue(dimension, value)}</strong>
          </span>
          <a href={hrefOf(path, withoutFilter(selection, dimension))}>
            <span class="unseen">Remove the filter of {wordsOf(dimension).one.toLowerCase()}</span>
            <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      {filters.length > 1 && (
        <li class="all">
          <a href={hrefOf(path, { ...selection, filters: [], property: undefined })}>Remove all</a>
        </li>
      )}
    </ul>
  );
}
