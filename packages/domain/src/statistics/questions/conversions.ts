import type { CountedHit } from '../hit.ts';
import type { Visit } from '../visits/visits.ts';
import { addDecimals, readDecimal } from './decimals.ts';
import { compileRule, type HitRule, textOf } from './rules.ts';

/** The hits of a visit that fulfil a rule, in order. */
export function conversionsOf(visit: Visit, rule: HitRule): readonly CountedHit[] {
  return visit.hits.filter(compileRule(rule));
}

/**
 * Adds up a property of hits, as a decimal with two places, rounded half away from zero (statistics.md, "Goals"). Values that
 * are no decimal numbers are left out.
 */
export function sumOfProperty(hits: readonly CountedHit[], property: string): string {
  return addDecimals(hits.flatMap(({ props }) => readDecimal(textOf(props, property) ?? '') ?? []));
}

/**
 * How many steps of a funnel a visit reaches: step k is reached where k different hits, each later than the one before,
 * fulfil the steps 1 to k (statistics.md, "Funnels"). The first hit for each step leaves the most hits for the next ones.
 */
export function stepsReached(visit: Visit, steps: readonly HitRule[]): number {
  const rules = steps.map(compileRule);
  let reached = 0;
  for (const hit of visit.hits) if (rules[reached]?.(hit)) reached += 1;
  return reached;
}
