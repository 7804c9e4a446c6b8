import type { CountedHit, Measure } from '../hits/hit.ts';

/** Hits that are events of this name with all of these properties, compared as strings. */
export interface EventRule {
  readonly event: string;
  readonly props: Readonly<Record<string, string>>;
}

/** Pageviews whose page matches a pattern of `like`. With bounds, they are measured, and reached each of them. */
export interface PageRule extends MeasureBounds {
  readonly page: string;
}

/** The least that a pageview reached: percent of the page, and engaged seconds. Steps of funnels have none. */
export interface MeasureBounds {
  readonly scroll?: number;
  readonly seconds?: number;
}

/** Whether a rule is about measured pageviews. */
export function isOfMeasures(rule: HitRule): boolean {
  return 'page' in rule && (rule.scroll !== undefined || rule.seconds !== undefined);
}

/** Whether a measure reached all bounds. */
export function reaches({ seconds, scroll }: Measure, bounds: MeasureBounds): boolean {
  return seconds >= (bounds.seconds ?? 0) && scroll >= (bounds.scroll ?? 0);
}

/** A rule on a single hit, of a goal or of a step of a funnel (api.md, "Segments, goals and funnels"). */
export type HitRule = EventRule | PageRule;

/** Compiles a rule into a function that says whether a hit matches it. */
export function compileRule(rule: HitRule): (hit: Pick<CountedHit, 'page' | 'name' | 'props' | 'measure'>) => boolean {
  if ('page' in rule) {
    const matches = compilePattern(rule.page);
    const isReached = ({ measure }: Pick<CountedHit, 'measure'>) => measure !== undefined && reaches(measure, rule);
    return (hit) => hit.name === null && matches(hit.page) && (!isOfMeasures(rule) || isReached(hit));
  }
  const required = Object.entries(rule.props);
  return ({ name, props }) =>
    name === rule.event && required.every(([property, value]) => propertyText(props, property) === value);
}

/** A property of an event as a string; `undefined` if the event does not have it. */
export function propertyText(props: CountedHit['props'], property: string): string | undefined {
  return props !== null && Object.hasOwn(props, property) ? String(props[property]) : undefined;
}

/**
 * Tells whether a value matches a pattern (api.md, "Filters"): `*` stands for any characters, also none; `\*` and
 * `\\` are literal, and any other backslash stands for itself. The whole value must match, with case.
 */
export type Matcher = (value: string) => boolean;

/**
 * The literal parts of a pattern, with a `*` between each two of them: `/blog/*` is `/blog/` and an empty part. Runs of `*`
 * are one.
 */
export function partsOfPattern(pattern: string): readonly string[] {
  const parts = [''];
  for (const [token] of pattern.matchAll(/\*+|\\[\\*]|[^*\\]+|\\/g)) {
    if (token.startsWith('*')) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${/^\\[\\*]$/.test(token) ? token.slice(1) : token}`);
  }
  return parts;
}

/** Compiles a pattern. Its time is linear in the value for each part, however the pattern is written. */
export function compilePattern(pattern: string): Matcher {
  const parts = partsOfPattern(pattern);
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return (value) => value === first;
  return (value) => {
    if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
    const end = value.length - last.length;
    // The leftmost place of each part leaves the most room for the next ones.
    let from = first.length;
    for (const part of others) {
      const found = value.indexOf(part, from);
      if (found === -1 || found + part.length > end) return false;
      from = found + part.length;
    }
    return true;
  };
}

/** Lower case of A to Z alone: every engine can do the same, whatever its locale. */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
