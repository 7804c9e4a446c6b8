import type { FilterSet, HitRule } from '@hitherto/domain';
import { storableText } from './texts.ts';

/** Filters by values as a database can keep them. */
export function storableFilters({ match, filters }: FilterSet): FilterSet {
  const storable = (value: string | null) => value && storableText(value);
  return {
    match,
    filters: filters.map((filter) =>
      filter.kind === 'goal' ? filter : { ...filter, values: filter.values.map(storable) },
    ),
  };
}

/** A rule that looks for values as a database can keep them. */
export function storableRule(rule: HitRule): HitRule {
  if ('page' in rule) return { page: storableText(rule.page) };
  const props = Object.entries(rule.props).map(([name, value]) => [storableText(name), storableText(value)]);
  return { event: storableText(rule.event), props: Object.fromEntries(props) };
}
