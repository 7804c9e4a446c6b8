import { DIMENSION_TABLE, type Dimension, FIRST_HIT_DIMENSIONS } from '@hitherto/domain/hits';
import {
  compileComparison,
  type DimensionFilter,
  type Filter,
  type GoalRules,
  type HiddenFilter,
  isOnDay,
  type PropertyFilter,
  propertyText,
  storableFilters,
  storableRule,
  type VisitSet,
} from '@hitherto/domain/visits';
import type { Chosen } from './counter.ts';
import type { CodedStrings } from './format.ts';
import {
  byCode,
  COLUMNS_OF_HITS,
  type ColumnName,
  columnsOfRule,
  type EventValue,
  endPages,
  fulfillingHits,
  type VisitColumns,
} from './visit-columns.ts';

/** 1 for each visit that is chosen, else 0. */
type Mask = Uint8Array;

/** Filters, compiled for columns. */
export interface Choice {
  /** The columns that `choose` reads. */
  readonly columns: readonly ColumnName[];
  /** @param takeTurns is called after each filter, so that other work has its turn */
  readonly choose: (visits: VisitColumns, takeTurns: () => Promise<void>) => Promise<Chosen>;
}

interface Condition {
  readonly columns: readonly ColumnName[];
  readonly test: (visits: VisitColumns) => Mask;
}

/**
 * Compiles filters (`compileFilters` in the domain). The distinct values are compared once, and each visit or hit looks its
 * code up.
 *
 * @param sets with values as they were sent
 */
export function compileChoice(sets: readonly VisitSet[], goalsSent: GoalRules): Choice {
  const goals = new Map([...goalsSent].map(([id, rule]) => [id, storableRule(rule)]));
  const compiled = sets.map(storableFilters).map(({ match, filters }) => ({
    match,
    conditions: filters.map((filter) => compileFilter(filter, goals)),
  }));
  return {
    columns: compiled.flatMap(({ conditions }) => conditions.flatMap(({ columns }) => columns)),
    choose: async (visits, takeTurns) => {
      const ofSets: Mask[] = [];
      for (const { match, conditions } of compiled) {
        const ofFilters: Mask[] = [];
        for (const { test } of conditions) {
          ofFilters.push(test(visits));
          await takeTurns();
        }
        ofSets.push(match === 'all' ? all(visits, ofFilters) : any(visits, ofFilters));
      }
      return placesOf(all(visits, ofSets));
    },
  };
}

/** The places of all ones. */
function placesOf(mask: Mask): Chosen {
  const places = new Uint32Array(mask.length);
  let count = 0;
  for (let place = 0; place < mask.length; place += 1) {
    // A branch here would be mispredicted all the time.
    places[count] = place;
    count += mask[place] ?? 0;
  }
  return places.subarray(0, count);
}

function all({ visits }: VisitColumns, choices: readonly Mask[]): Mask {
  const chosen = new Uint8Array(visits).fill(1);
  for (const choice of choices) {
    for (let visit = 0; visit < visits; visit += 1) chosen[visit] = (chosen[visit] ?? 0) & (choice[visit] ?? 0);
  }
  return chosen;
}

function any({ visits }: VisitColumns, choices: readonly Mask[]): Mask {
  const chosen = new Uint8Array(visits);
  for (const choice of choices) {
    for (let visit = 0; visit < visits; visit += 1) chosen[visit] = (chosen[visit] ?? 0) | (choice[visit] ?? 0);
  }
  return chosen;
}

function compileFilter(filter: Filter | HiddenFilter, goals: GoalRules): Condition {
  const { columns, test } = compilePositive(filter, goals);
  return filter.isNegated ? { columns, test: (visits) => test(visits).map((isMask) => 1 - isMask) } : { columns, test };
}

function compilePositive(filter: Filter | HiddenFilter, goals: GoalRules): Condition {
  switch (filter.kind) {
    case 'dimension':
      return compileDimension(filter);
    case 'property':
      return compileProperty(filter);
    case 'goal': {
      const rules = filter.goals.flatMap((id) => goals.get(id) ?? []);
      const test = (visits: VisitColumns) =>
        any(
          visits,
          rules.map((rule) => haveHit(visits, fulfillingHits(visits, rule))),
        );
      return { columns: rules.flatMap(columnsOfRule), test };
    }
    case 'hidden': {
      const rules = filter.rules.map((rule) => {
        const conditions = rule.filters.map((one) => compileFilter(one, goals));
        const join = rule.match === 'all' ? all : any;
        return {
          rule,
          conditions,
          test: (visits: VisitColumns) =>
            join(
              visits,
              conditions.map(({ test }) => test(visits)),
            ),
        };
      });
      return {
        columns: rules.flatMap(({ conditions }) => conditions.flatMap(({ columns }) => columns)),
        test: (visits) => {
          const ofDay = rules.filter(({ rule }) => isOnDay(rule, visits.day));
          return any(
            visits,
            // What a cleanup hides must not change with the rules that show pages.
            ofDay.map(({ test }) => test(visits.stored ?? visits)),
          );
        },
      };
    }
    case 'bounce':
      return {
        columns: ['pageviews', 'events'],
        test: (visits) => {
          const [pageviews, events] = [visits.numbers('pageviews'), visits.numbers('events')];
          const isOf = (isBounce: boolean) => Number(filter.values.includes(isBounce ? '1' : '0'));
          return Uint8Array.from(pageviews, (ofVisit, visit) => isOf(ofVisit === 1 && events[visit] === 0));
        },
      };
  }
}

function compileDimension(filter: DimensionFilter): Condition {
  const hasValue = compileComparison(filter);
  const isOf = (value: string | null) => Number(hasValue(value === null ? [] : [value]));
  const ofHits = (codes: (visits: VisitColumns) => Uint32Array): Condition => ({
    columns: COLUMNS_OF_HITS,
    test: (visits) => chooseByHits(visits, codes(visits), isOf(null)),
  });
  switch (filter.dimension) {
    case 'page':
      return ofHits((visits) => byCode(visits, (page) => HAS_VALUE + isOf(page) * MATCHES, undefined));
    case 'event':
      return ofHits((visits) => byCode(visits, undefined, ([name]) => HAS_VALUE + isOf(name) * MATCHES));
    default: {
      const { columns, strings } = stringsOf(filter.dimension);
      return {
        columns,
        test: (visits) => {
          const { values, codes } = strings(visits);
          return lookUp(codes, Uint8Array.from(values, isOf));
        },
      };
    }
  }
}

function compileProperty(filter: PropertyFilter): Condition {
  const hasValue = compileComparison(filter);
  // An empty value counts as none.
  const traitsOf = ([, props]: EventValue) => {
    const value = propertyText(props, filter.property) ?? '';
    return value === '' ? 0 : HAS_VALUE + Number(hasValue([value])) * MATCHES;
  };
  return {
    columns: COLUMNS_OF_HITS,
    test: (visits) => chooseByHits(visits, byCode(visits, undefined, traitsOf), Number(hasValue([]))),
  };
}

/** A dimension for which each visit has one value or none. */
export type SingleDimension = Exclude<Dimension, 'page' | 'event'>;

/** The strings of a dimension, and the columns that they are read from. */
export function stringsOf(dimension: SingleDimension): {
  readonly columns: readonly ColumnName[];
  readonly strings: (visits: VisitColumns) => CodedStrings;
} {
  const ofFirstHit = FIRST_HIT_DIMENSIONS.find((known) => known === dimension);
  if (ofFirstHit !== undefined) return { columns: [ofFirstHit], strings: (visits) => visits.strings(ofFirstHit) };
  const end = DIMENSION_TABLE[dimension].from === 'first_pageview' ? 'first' : 'last';
  return {
    columns: COLUMNS_OF_HITS,
    strings: (visits) => ({ values: visits.pages(), codes: endPages(visits, end) }),
  };
}

function lookUp(codes: Uint32Array, table: Uint8Array): Mask {
  const chosen = new Uint8Array(codes.length);
  for (let visit = 0; visit < chosen.length; visit += 1) chosen[visit] = table[codes[visit] ?? 0] ?? 0;
  return chosen;
}

/** Chooses the visits with a hit that fulfils a rule. */
function haveHit(visits: VisitColumns, isFulfilled: (hit: number) => number): Mask {
  const starts = visits.starts();
  const chosen = new Uint8Array(visits.visits);
  for (let visit = 0, hit = 0; visit < chosen.length; visit += 1) {
    const end = starts[visit + 1] ?? 0;
    for (; hit < end; hit += 1) chosen[visit] = (chosen[visit] ?? 0) | isFulfilled(hit);
  }
  return chosen;
}

/** The findings of a hit about its visit: that it has a value, and that it matches. */
const HAS_VALUE = 1;
const MATCHES = 2;

/**
 * Chooses the visits with a hit that matches.
 *
 * @param traits of each code of a hit
 * @param whenNone whether a visit is chosen that has no value
 */
function chooseByHits(visits: VisitColumns, traits: Uint32Array, whenNone: number): Mask {
  const [hits, starts] = [visits.numbers('hits'), visits.starts()];
  const chosen = new Uint8Array(visits.visits);
  for (let visit = 0, hit = 0; visit < chosen.length; visit += 1) {
    const end = starts[visit + 1] ?? 0;
    let ofVisit = 0;
    for (; hit < end; hit += 1) ofVisit |= traits[hits[hit] ?? 0] ?? 0;
    chosen[visit] = ofVisit >= MATCHES ? 1 : ofVisit === HAS_VALUE ? 0 : whenNone;
  }
  return chosen;
}
