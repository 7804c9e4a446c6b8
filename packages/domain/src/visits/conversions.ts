import type { CountedHit } from '../hits/hit.ts';
import { compileRule, type HitRule, propertyText } from './rules.ts';
import type { Visit } from './visits.ts';

/** The hits of a visit that fulfil a rule, in order. */
export function conversionsOf(visit: Visit, rule: HitRule): readonly CountedHit[] {
  return visit.hits.filter(compileRule(rule));
}

/**
 * Adds up a property of hits, as a decimal with two places, rounded half away from zero (api.md, "Statistics"). Values that
 * are not a decimal numbers are left out.
 */
export function sumOfProperty(hits: readonly CountedHit[], property: string): string {
  return addDecimals(hits.flatMap(({ props }) => readDecimal(propertyText(props, property) ?? '') ?? []));
}

/** The steps of a funnel. */
export interface FunnelRules {
  readonly steps: readonly HitRule[];
  /** Whether no other pageview may lie between two steps. */
  readonly isStrict: boolean;
}

/**
 * How many steps of a funnel a visit reaches: step k is reached where k different hits, each later than the one before,
 * fulfil the steps 1 to k (api.md, "Statistics"). The first hit for each step leaves the most hits for the next ones.
 */
export function stepsReached(visit: Visit, { steps, isStrict }: FunnelRules): number {
  const rules = steps.map(compileRule);
  if (isStrict) return strictStepsReached(visit, rules);
  let reached = 0;
  for (const hit of visit.hits) if (rules[reached]?.(hit)) reached += 1;
  return reached;
}

/** Every hit can begin anew, and a pageview ends all that it does not continue. */
function strictStepsReached(visit: Visit, rules: readonly ReturnType<typeof compileRule>[]): number {
  let reached = 0;
  let open: readonly number[] = [];
  for (const hit of visit.hits) {
    const next = [...new Set([0, ...open])].filter((step) => rules[step]?.(hit)).map((step) => step + 1);
    open = hit.name === null ? next : [...new Set([...open, ...next])];
    reached = Math.max(reached, ...next);
  }
  return reached;
}

/** A decimal number: `digits` times 10 to the power of -`places`. */
export interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

/** Reads a decimal number with an optional sign and without an exponent; `undefined` for any other string. */
export function readDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  return { digits: sign === '-' ? -digits : digits, places: fraction.length };
}

/** The exact sum of decimals, rounded half away from zero to two places: `149.50`. */
export function addDecimals(decimals: readonly Decimal[]): string {
  const places = decimals.reduce((most, decimal) => Math.max(most, decimal.places), 2);
  const sum = decimals.reduce((total, decimal) => total + decimal.digits * 10n ** BigInt(places - decimal.places), 0n);
  const unit = 10n ** BigInt(places - 2);
  const size = ((sum < 0n ? -sum : sum) * 2n + unit) / (unit * 2n);
  const text = size.toString().padStart(3, '0');
  return `${sum < 0n && size > 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}
