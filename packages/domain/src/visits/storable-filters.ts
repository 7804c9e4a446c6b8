import { storableString } from '../base/strings.ts';
import type { Filter, HiddenFilter, VisitSet } from './filters.ts';
import type { HitRule } from './rules.ts';

/** Filters by values as a database can store them. */
export function storableFilters<Set extends VisitSet>(set: Set): Set {
  return { ...set, filters: set.filters.map(storableFilter) };
}

function storableFilter(filter: Filter | HiddenFilter): Filter | HiddenFilter {
  if (filter.kind === 'hidden') return { ...filter, rules: filter.rules.map(storableFilters) };
  if (!('comparator' in filter)) return filter;
  return { ...filter, values: filter.values.map((value) => value && storableString(value)) };
}

/** A rule for values as a database can store them. */
export function storableRule(rule: HitRule): HitRule {
  if ('page' in rule) return { ...rule, page: storableString(rule.page) };
  const props = Object.entries(rule.props).map(([name, value]) => [storableString(name), storableString(value)]);
  return { event: storableString(rule.event), props: Object.fromEntries(props) };
}
