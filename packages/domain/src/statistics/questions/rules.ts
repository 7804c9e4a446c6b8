import type { CountedHit } from '../hit.ts';
import { compilePattern } from './patterns.ts';

/** Hits that are events of this name with all of these properties, compared as strings. */
export interface EventRule {
  readonly event: string;
  readonly props: Readonly<Record<string, string>>;
}

/** Pageviews whose page matches a pattern of `like`. */
export interface PageRule {
  readonly page: string;
}

/** A rule on a single hit, of a goal or of a step of a funnel (statistics.md, "Goals"). */
export type HitRule = EventRule | PageRule;

/** Compiles a rule into a function that says whether a hit matches it. */
export function compileRule(rule: HitRule): (hit: Pick<CountedHit, 'page' | 'name' | 'props'>) => boolean {
  if ('page' in rule) {
    const matches = compilePattern(rule.page);
    return (hit) => hit.name === null && matches(hit.page);
  }
  const required = Object.entries(rule.props);
  return ({ name, props }) =>
    name === rule.event && required.every(([property, value]) => textOf(props, property) === value);
}

/** A property of an event as a string; `undefined` if the event does not have it. */
export function textOf(props: CountedHit['props'], property: string): string | undefined {
  return props !== null && Object.hasOwn(props, property) ? String(props[property]) : undefined;
}
