import { storableString } from '../base/strings.ts';
import type { FilterSet } from './filters.ts';
import type { HitRule } from './rules.ts';

/** Filters by values as a database can store them. */
export function storableFilters({ match, filters }: FilterSet): FilterSet {
  const storable = (value: string | null) => value && storableString(value);
  return {
    match,
    filters: filters.map((filter) =>
      'comparator' in filter ? { ...filter, values: filter.values.map(storable) } : filter,
    ),
  };
}

/** A rule for values as a database can store them. */
export function storableRule(rule: HitRule): HitRule {
  if ('page' in rule) return { page: storableString(rule.page) };
  const props = Object.entries(rule.props).map(([name, value]) => [storableString(name), storableString(value)]);
  return { event: storableString(rule.event), props: Object.fromEntries(props) };
}
