import type { CountedHit } from '../hits/hit.ts';

/** Hits that are events of this name with all of these properties, compared as strings. */
export interface EventRule {
  readonly event: string;
  readonly props: Readonly<Record<string, string>>;
}

/** Pageviews whose page matches a pattern of `like`. */
export interface PageRule {
  readonly page: string;
}

/** A rule on a single hit, of a goal or of a step of a funnel (api.md, "Segments, goals and funnels"). */
export type HitRule = EventRule | PageRule;

/** Compiles a rule into a function that says whether a hit matches it. */
export function compileRule(rule: HitRule): (hit: Pick<CountedHit, 'page' | 'name' | 'props'>) => boolean {
  if ('page' in rule) {
    const matches = compilePattern(rule.page);
    return (hit) => hit.name === null && matches(hit.page);
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
