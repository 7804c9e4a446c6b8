import type { Day } from '@hitherto/domain/calendar';
import type { CountedGoal, StepNumbers } from '@hitherto/domain/engine';
import { type Decimal, type FunnelRules, type HitRule, propertyText, readDecimal } from '@hitherto/domain/visits';
import { add, type Chosen, type Counter, createTally, type Sign, type Tallied } from './counter.ts';
import type { Grouping, Groups } from './grouping.ts';
import {
  COLUMNS_OF_HITS,
  codeOfEvent,
  columnsOfRule,
  fulfilling,
  fulfillingHits,
  isPageview,
  type VisitColumns,
} from './visit-columns.ts';

/** The numbers of a goal for the chosen visits; its sum is not rounded. */
export interface ConversionNumbers {
  readonly visitors: number;
  readonly visits: number;
  /** Of each day. */
  readonly conversions: readonly (readonly [Day, number])[];
  /** The property that is added up. */
  readonly amounts: readonly Decimal[];
}

/** Counts the conversions of a goal. */
export function countGoal({ rule, sum }: Pick<CountedGoal, 'rule' | 'sum'>): Counter<ConversionNumbers> {
  const numbers = { visitors: 0, visits: 0 };
  const ofDays = new Map<Day, number>();
  const amounts = new Map<number, bigint>();

  const addConversions = (day: Day, conversions: number) => ofDays.set(day, (ofDays.get(day) ?? 0) + conversions);
  const addAmount = ({ places, digits }: Decimal) => amounts.set(places, (amounts.get(places) ?? 0n) + digits);
  const addAmounts = (visits: VisitColumns, property: string, timesOf: Uint32Array, sign: Sign) => {
    visits.events().forEach(([, props], place) => {
      const times = timesOf[codeOfEvent(place)] ?? 0;
      const decimal = times > 0 ? readDecimal(propertyText(props, property) ?? '') : undefined;
      if (decimal !== undefined) addAmount({ ...decimal, digits: decimal.digits * BigInt(sign * times) });
    });
  };

  return {
    columns: ['repeats', ...columnsOfRule(rule)],
    add(visits, chosen, sign) {
      const isFulfilled = fulfillingHits(visits, rule);
      const [hits, starts, visitors] = [visits.numbers('hits'), visits.starts(), visits.visitors()];
      const timesOf = new Uint32Array(sum === null ? 0 : 2 * visits.events().length);
      let [lastVisitor, ofAll] = [0, 0];
      for (const visit of chosen) {
        const end = starts[visit + 1] ?? 0;
        let conversions = 0;
        for (let hit = starts[visit] ?? 0; hit < end; hit += 1) {
          if (isFulfilled(hit) === 0) continue;
          conversions += 1;
          if (sum === null) continue;
          const code = hits[hit] ?? 0;
          timesOf[code] = (timesOf[code] ?? 0) + 1;
        }
        if (conversions === 0) continue;
        ofAll += conversions;
        numbers.visits += sign;
        const visitor = visitors[visit] ?? 0;
        if (lastVisitor !== visitor) numbers.visitors += sign;
        lastVisitor = visitor;
      }
      addConversions(visits.day, sign * ofAll);
      if (sum !== null) addAmounts(visits, sum, timesOf, sign);
    },
    include(result) {
      numbers.visits += result.visits;
      numbers.visitors += result.visitors;
      for (const [day, conversions] of result.conversions) addConversions(day, conversions);
      result.amounts.forEach(addAmount);
    },
    result: () => ({
      ...numbers,
      conversions: [...ofDays],
      amounts: Array.from(amounts, ([places, digits]) => ({ digits, places })),
    }),
  };
}

/** Counts how many chosen visits reach each step of a funnel (`stepsReached` in the domain). */
export function countFunnel({ steps, isStrict }: FunnelRules): Counter<readonly StepNumbers[]> {
  const reaching = steps.map(() => ({ visits: 0, visitors: 0 }));
  return {
    columns: ['repeats', ...COLUMNS_OF_HITS],
    add(visits, chosen, sign) {
      const fulfilled = stepsFulfilled(visits, steps);
      const [hits, starts, visitors] = [visits.numbers('hits'), visits.starts(), visits.visitors()];
      const reachedBy = isStrict ? strictStepsReached : stepsReached;
      const lastVisitors = new Uint32Array(steps.length);
      for (const visit of chosen) {
        const reached = reachedBy(hits, starts[visit] ?? 0, starts[visit + 1] ?? 0, fulfilled);
        const visitor = visitors[visit] ?? 0;
        for (let step = 0; step < reached; step += 1) {
          const numbers = reaching[step];
          if (numbers === undefined) break;
          numbers.visits += sign;
          if (lastVisitors[step] !== visitor) numbers.visitors += sign;
          lastVisitors[step] = visitor;
        }
      }
    },
    include(result) {
      reaching.forEach((numbers, step) => {
        numbers.visits += result[step]?.visits ?? 0;
        numbers.visitors += result[step]?.visitors ?? 0;
      });
    },
    result: () => reaching.map((numbers) => ({ ...numbers })),
  };
}

/** The steps that each code of a hit fulfils, a bit for each. */
function stepsFulfilled(visits: VisitColumns, steps: readonly HitRule[]): Uint32Array {
  const [first = new Uint32Array(), ...others] = steps.map((rule) => fulfilling(visits, rule));
  others.forEach((isFulfilled, place) => {
    for (let code = 0; code < first.length; code += 1) {
      first[code] = (first[code] ?? 0) | ((isFulfilled[code] ?? 0) << (place + 1));
    }
  });
  return first;
}

function stepsReached(hits: Uint32Array, from: number, to: number, fulfilled: Uint32Array): number {
  let reached = 0;
  for (let hit = from; hit < to; hit += 1) reached += ((fulfilled[hits[hit] ?? 0] ?? 0) >>> reached) & 1;
  return reached;
}

/** The bits of `open` are the numbers of steps that the next hit can continue. */
function strictStepsReached(hits: Uint32Array, from: number, to: number, fulfilled: Uint32Array): number {
  let [open, reached] = [0, 0];
  for (let hit = from; hit < to; hit += 1) {
    const code = hits[hit] ?? 0;
    const next = ((open | 1) & (fulfilled[code] ?? 0)) << 1;
    open = isPageview(code) ? next : open | next;
    reached |= next;
  }
  return 31 - Math.clz32(reached | 1);
}

/** The visitors of the visits of a group that have a conversion, and all conversions of these visits. */
const CONVERSION_NUMBERS = ['visitors', 'conversions'] as const;
export type ConversionNumber = (typeof CONVERSION_NUMBERS)[number];

const VISITORS = 0;
const CONVERSIONS = 1;
const WIDTH = CONVERSION_NUMBERS.length;

/** Counts the chosen visits that have a conversion, by group. */
export function countConversions<Key>(
  rule: HitRule,
  { columns, groupsOf }: Grouping<Key>,
): Counter<Tallied<Key, ConversionNumber>> {
  const tally = createTally<Key, ConversionNumber>(CONVERSION_NUMBERS);
  return {
    columns: ['repeats', ...columnsOfRule(rule), ...columns],
    add(visits, chosen, sign) {
      const groups = groupsOf(visits);
      tally.add(groups.keys, conversionsOf(visits, conversionsOfVisits(visits, chosen, rule), groups), sign);
    },
    include: tally.include,
    result: tally.result,
  };
}

function conversionsOfVisits(visits: VisitColumns, chosen: Chosen, rule: HitRule): Uint32Array {
  const [starts, isFulfilled] = [visits.starts(), fulfillingHits(visits, rule)];
  const conversions = new Uint32Array(visits.visits);
  for (const visit of chosen) {
    const end = starts[visit + 1] ?? 0;
    let ofVisit = 0;
    for (let hit = starts[visit] ?? 0; hit < end; hit += 1) ofVisit += isFulfilled(hit);
    conversions[visit] = ofVisit;
  }
  return conversions;
}

function conversionsOf<Key>(
  visits: VisitColumns,
  conversions: Uint32Array,
  { keys, per, codes }: Groups<Key>,
): Float64Array {
  const [hits, starts, visitors] = [visits.numbers('hits'), visits.starts(), visits.visitors()];
  const sums = new Float64Array(keys.length * WIDTH);
  const lastVisits = new Uint32Array(keys.length);
  const lastVisitors = new Uint32Array(keys.length);
  const addTo = (code: number, visit: number) => {
    if (lastVisits[code] === visit + 1) return;
    lastVisits[code] = visit + 1;
    add(sums, code * WIDTH + CONVERSIONS, conversions[visit] ?? 0);
    const visitor = visitors[visit] ?? 0;
    if (lastVisitors[code] !== visitor) add(sums, code * WIDTH + VISITORS, 1);
    lastVisitors[code] = visitor;
  };
  for (let visit = 0; visit < conversions.length; visit += 1) {
    if (conversions[visit] === 0) continue;
    if (per === 'visit') {
      addTo(codes[visit] ?? 0, visit);
      continue;
    }
    const end = starts[visit + 1] ?? 0;
    for (let hit = starts[visit] ?? 0; hit < end; hit += 1) {
      const code = codes[hits[hit] ?? 0] ?? 0;
      if (code !== 0) addTo(code, visit);
    }
  }
  return sums;
}
