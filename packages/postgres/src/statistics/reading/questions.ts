import { compareBytes, storableString } from '@hitherto/domain/base';
import type { Day, TimeZone } from '@hitherto/domain/calendar';
import type {
  ConversionsBy,
  ConvertedRow,
  CountedGoal,
  GoalNumbers,
  StepNumbers,
  ValuePage,
  ValuePosition,
} from '@hitherto/domain/engine';
import { type Dimension, OTHER_VALUES } from '@hitherto/domain/hits';
import { addDecimals, type FunnelRules, storableRule } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { entriesOf } from '../columns/counter.ts';
import { countFolded } from '../columns/folded.ts';
import { byDimension, byHour, byKey, byProperty, type Grouping, mapKeys } from '../columns/grouping.ts';
import { numbersOfGoal, propertyNamesOf, stepsOf, totalsOfProperty, visitorsOf } from '../columns/question.ts';
import { countConversions } from '../columns/questions.ts';
import type { DayForms, VisitDays } from '../days/day-forms.ts';
import { readNumbers } from '../days/number-rows.ts';
import { decodeKeys, placeOfKey } from '../days/stored-numbers.ts';
import { valueKeys } from '../days/value-keys.ts';
import { stringsReader } from './keyed-list.ts';
import { pageOfValues } from './value-lists.ts';
import type { VisitCounts } from './visit-counts.ts';

/** Reads the numbers of goals for the chosen visits. */
export async function readGoals(
  transaction: Transaction,
  days: VisitDays,
  counts: VisitCounts,
  goals: readonly CountedGoal[],
): Promise<readonly GoalNumbers[]> {
  const questions = goals.map(({ rule, sum }) =>
    numbersOfGoal({ rule: storableRule(rule), sum: sum && storableString(sum) }),
  );
  const numbers = await counts.countAgain(transaction, days, questions);
  return numbers.map(({ visitors, visits, conversions, amounts }, place) => {
    const days = conversions.filter(([, ofDay]) => ofDay > 0).sort(([a], [b]) => compareBytes(a, b));
    return {
      visitors,
      visits,
      conversions: days.reduce((sum, [, ofDay]) => sum + ofDay, 0),
      sum: goals[place]?.sum === null ? null : addDecimals(amounts),
      days: days.map(([day, ofDay]) => ({ day, conversions: ofDay })),
    };
  });
}

/** Reads how many of the chosen visits reach each step. */
export async function readFunnel(
  transaction: Transaction,
  days: VisitDays,
  counts: VisitCounts,
  { steps, isStrict }: FunnelRules,
): Promise<readonly StepNumbers[]> {
  const question = stepsOf({ steps: steps.map(storableRule), isStrict });
  const [numbers = []] = await counts.countAgain(transaction, days, [question]);
  return numbers;
}

/** Reads the values of a property of the events of one name, or of any. */
export async function readPropertyValues(
  transaction: Transaction,
  days: VisitDays,
  counts: VisitCounts,
  event: string | undefined,
  property: string,
  limit: number,
  position: ValuePosition | undefined,
): Promise<ValuePage> {
  const question = totalsOfProperty(event && storableString(event), storableString(property));
  const [values] = await counts.count(transaction, days, [question]);
  return pageOfValues(values, limit, position);
}

const MAX_NAMES = 100;

/** Reads the names of the properties of the events of one name. */
export async function readPropertyNames(
  transaction: Transaction,
  days: VisitDays,
  counts: VisitCounts,
  event: string,
): Promise<string[]> {
  const [lists] = await counts.count(transaction, days, [propertyNamesOf(storableString(event))]);
  const names = lists.keys.flatMap((list): string[] => JSON.parse(list ?? '[]'));
  return [...new Set(names)].sort(compareBytes).slice(0, MAX_NAMES);
}

/**
 * Reads the groups of the chosen visits that have a conversion.
 *
 * @param kept the values of the list that the groups belong to
 */
export async function readConversions(
  transaction: Transaction,
  days: VisitDays,
  counts: VisitCounts,
  { rule }: CountedGoal,
  by: ConversionsBy,
  values: readonly (string | null)[] | undefined,
  kept: KeptValues,
): Promise<readonly ConvertedRow[]> {
  const stored = storableRule(rule);
  const name = kept.size === 0 ? { name: `conversions ${JSON.stringify([stored, by, days.zone.name])}` } : {};
  const question = { ...name, counter: () => countConversions(stored, groupingBy(by, days.zone, kept)) };
  const [groups] = await counts.count(transaction, days, [question]);
  const wanted = values && new Set(values.map((value) => value && storableString(value)));
  return [...entriesOf(groups)]
    .filter(([key]) => wanted === undefined || wanted.has(key))
    .map(([key, numbers]) => ({ ...numbers, key: by === 'hour' ? new Date(Number(key) * 1_000) : key }));
}

/** How visits are grouped; hours by their start in seconds. */
function groupingBy(by: ConversionsBy, zone: TimeZone, kept: KeptValues): Grouping<string | null> {
  if (typeof by === 'object')
    return byProperty({ event: storableString(by.event), property: storableString(by.property) });
  switch (by) {
    case 'total':
      return byKey(() => null);
    case 'day':
      return byKey(({ day }) => day);
    case 'hour':
      return byHour(zone);
    default:
      return kept.size === 0
        ? byDimension(by)
        : mapKeys(byDimension(by), (value, { day }) => (kept.get(day)?.has(value) === false ? OTHER_VALUES : value));
  }
}

/** The values that days have in a list, of days that fold rare values into one. */
export type KeptValues = ReadonlyMap<Day, ReadonlySet<string | null>>;

/** @param forms of the list */
export async function readKeptValues(
  transaction: Transaction,
  forms: DayForms,
  counts: VisitCounts,
  dimension: Dimension,
): Promise<KeptValues> {
  const kept = new Map<Day, ReadonlySet<string | null>>();
  for await (const day of counts.openDays(transaction, forms.visits)) {
    const values = await countFolded((some) => visitorsOf(dimension, some), day.count);
    if (values.keys.includes(OTHER_VALUES)) kept.set(day.day, new Set(values.keys));
  }
  const { websiteNumber, counted } = forms;
  const others = valueKeys(forms.valueSecret, [OTHER_VALUES]);
  const part = { isMonth: false, days: counted, kinds: [dimension] };
  const stored = await readNumbers(transaction, websiteNumber, [part], ['keys']);
  const folded = stored.filter((row) => placeOfKey(decodeKeys(row.size, row.keys), others) !== undefined);
  for (const [{ day }, values] of await stringsReader(transaction, websiteNumber)(folded))
    kept.set(day, new Set(values));
  return kept;
}
