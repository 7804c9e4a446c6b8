import { storableString } from '@hitherto/domain/base';
import type { Day, TimeZone } from '@hitherto/domain/calendar';
import type {
  ConversionsBy,
  ConvertedRow,
  CountedGoal,
  GoalNumbers,
  StatisticsQuery,
  StepNumbers,
} from '@hitherto/domain/engine';
import { type Dimension, OTHER_VALUES } from '@hitherto/domain/hits';
import { addDecimals, type HitRule, storableRule } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { CountDays } from '../columns/cached-counts.ts';
import { countColumns } from '../columns/count.ts';
import { byDimension, byHour, byKey, byProperty, type Grouping, mapKeys } from '../columns/grouping.ts';
import { type ConversionNumbers, countConversions, countFunnel, countGoal } from '../columns/questions.ts';
import { dayRows } from '../days/day-rows.ts';
import type { DaySources, VisitSources } from '../days/day-sources.ts';
import { hourOf, hoursAround } from '../days/hours.ts';
import { readNumbers } from '../days/number-rows.ts';
import { decodeKeys, placeOfKey } from '../days/stored-numbers.ts';
import { valueKeys } from '../days/value-keys.ts';
import { chosenVisits, inScope, isFulfilled, type Scope } from '../visits/chosen-visits.ts';
import { IS_OF_VISIT } from '../visits/visits.ts';
import type { CountHits } from './cached-hits.ts';
import { stringsReader } from './keyed-list.ts';

type Sql = RawBuilder<unknown>;

/** Reads the numbers of goals for the chosen visits. */
export async function readGoals(
  transaction: Transaction,
  { fromColumns, fromVisits }: VisitSources,
  goals: readonly CountedGoal[],
  countDays: CountDays<ConversionNumbers>,
  countHits: CountHits,
): Promise<readonly GoalNumbers[]> {
  const rules = goals.map((goal) => ({ rule: storableRule(goal.rule), sum: goal.sum && storableString(goal.sum) }));
  const questions = rules.map((goal) => ({ name: JSON.stringify(goal), counter: () => countGoal(goal) }));
  const ofColumns = await countDays(transaction, fromColumns, questions);
  const counters = questions.map(({ counter }) => counter());
  await countHits(
    transaction,
    fromVisits,
    rules.map(({ rule }) => rule),
    false,
    counters,
  );
  return goals.map(({ sum }, place) => {
    const parts = [...(ofColumns[place] ?? []), counters[place]?.result() ?? []].flat();
    const total = (name: 'visitors' | 'visits' | 'conversions') => parts.reduce((all, part) => all + part[name], 0);
    const amounts = parts.flatMap((part) => part.amounts);
    return {
      visitors: total('visitors'),
      visits: total('visits'),
      conversions: total('conversions'),
      sum: sum === null ? null : addDecimals(amounts),
    };
  });
}

/** Selects the chosen visits that have a conversion, with the number of their conversions. */
function conversionsOf(chosen: Cte, scope: Scope, rule: HitRule): Sql {
  return sql`
    select visit.day, visit.visitor, visit.started, visit.ended, count(*) as conversions
    from ${chosen} visit
      join (select * from hit where ${inScope('hit', scope)} and ${isFulfilled(rule)}) hit on ${IS_OF_VISIT}
    group by visit.day, visit.visitor, visit.started, visit.ended`;
}

/** Reads how many of the chosen visits reach each step. */
export async function readFunnel(
  transaction: Transaction,
  { fromColumns, fromVisits }: VisitSources,
  steps: readonly HitRule[],
  countDays: CountDays<readonly StepNumbers[]>,
  countHits: CountHits,
): Promise<readonly StepNumbers[]> {
  const rules = steps.map(storableRule);
  const question = { name: JSON.stringify(rules), counter: () => countFunnel(rules) };
  const [ofColumns = []] = await countDays(transaction, fromColumns, [question]);
  const counter = question.counter();
  await countHits(transaction, fromVisits, rules, true, [counter]);
  return steps.map((_, step) => {
    const parts = [...ofColumns, counter.result()].flatMap((part) => part[step] ?? []);
    const total = (name: 'visits' | 'visitors') => parts.reduce((all, part) => all + part[name], 0);
    return { visits: total('visits'), visitors: total('visitors') };
  });
}

/**
 * Reads the groups of the chosen visits that have a conversion.
 *
 * @param kept the values of the list that the groups belong to
 */
export async function readConversions(
  transaction: Transaction,
  { fromColumns, fromVisits, zone }: VisitSources,
  { rule }: CountedGoal,
  by: ConversionsBy,
  values: readonly (string | null)[] | undefined,
  kept: KeptValues = new Map(),
): Promise<readonly ConvertedRow[]> {
  const counter = countConversions(storableRule(rule), groupingBy(by, zone, kept));
  await countColumns(transaction, fromColumns, [counter]);
  const groups = new Map(counter.result());
  if (fromVisits.days.length > 0) {
    for (const { key, visitors, conversions } of await readGroupsOfVisits(
      transaction,
      fromVisits,
      rule,
      by,
      zone,
      kept,
    )) {
      const known = groups.get(key) ?? { visitors: 0, conversions: 0 };
      groups.set(key, { visitors: known.visitors + visitors, conversions: known.conversions + conversions });
    }
  }
  const wanted = values && new Set(values.map((value) => value && storableString(value)));
  return [...groups]
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

/** @param sources of the list */
export async function readKeptValues(
  transaction: Transaction,
  query: StatisticsQuery,
  sources: DaySources,
  dimension: Dimension,
): Promise<KeptValues> {
  const kept = new Map<Day, Set<string | null>>();
  const { websiteNumber, counted } = sources;
  const others = valueKeys(sources.valueSecret, [OTHER_VALUES]);
  const part = { isMonth: false, days: counted, kinds: [dimension] };
  const stored = await readNumbers(transaction, websiteNumber, [part], ['keys']);
  const folded = stored.filter((row) => placeOfKey(decodeKeys(row.size, row.keys), others) !== undefined);
  for (const [{ day }, values] of await stringsReader(transaction, websiteNumber)(folded))
    kept.set(day, new Set(values));
  const rows = dayRows(query, { ...sources, imports: [] }, [dimension]);
  if (rows === undefined) return kept;
  const listed = cte('listed', sql`select distinct day, value from (${rows}) row`, { materialized: true });
  const { rows: found } = await transaction.query(
    once(sql<{ day: Day; value: string | null }>`
      select day::text as day, value from ${listed}
      where day in (select day from ${listed} where value = ${OTHER_VALUES})`),
  );
  for (const { day, value } of found) kept.set(day, (kept.get(day) ?? new Set()).add(value));
  return kept;
}

async function readGroupsOfVisits(
  transaction: Transaction,
  scope: Scope,
  rule: HitRule,
  by: ConversionsBy,
  zone: TimeZone,
  kept: KeptValues,
): Promise<readonly { key: string | null; visitors: number; conversions: number }[]> {
  const chosen = chosenVisits(scope);
  const converted = cte('converted', conversionsOf(chosen, scope, rule), { materialized: true });
  const keys = keysOf(chosen, converted, scope, by, zone);
  const keyed = sql`select distinct day, visitor, started, conversions, key from ${keys}`;
  const { rows } = await transaction.query(
    once(sql<{ key: string | null; visitors: number; conversions: number }>`
      select key, count(distinct (day, visitor))::double precision as visitors,
        sum(conversions)::double precision as conversions
      from (${kept.size === 0 ? keyed : folded(keyed, kept)}) grouped group by key`),
  );
  return rows;
}

/** A select of `keyed`, with the values that days do not have in the list folded into one. */
function folded(keyed: Sql, kept: KeptValues): Sql {
  const values = [...kept].flatMap(([day, ofDay]) => Array.from(ofDay, (value) => [day, value] as const));
  const listed = cte(
    'listed',
    sql`select * from unnest(${values.map(([day]) => day)}::date[], ${values.map(([, value]) => value)}::text[])`,
    { columns: sql`day, value` },
  );
  return sql`
    select distinct keyed.day, visitor, started, conversions,
      case when listed.day is null and keyed.day = any(${[...kept.keys()]}::date[])
        then ${OTHER_VALUES}::text collate "C" else key end as key
    from (${keyed}) keyed left join ${listed} listed
      on listed.day = keyed.day and coalesce(listed.value, '') = coalesce(keyed.key, '')
      and (listed.value is null) = (keyed.key is null)`;
}

/** Joins converted visits with the groups that each belongs to, `keys`. */
function keysOf(chosen: Cte, converted: Cte, scope: Scope, by: ConversionsBy, zone: TimeZone): Sql {
  const single = (key: Sql) => sql`${converted} converted cross join lateral (select ${key} as key) keys`;
  const ofHits = (key: Sql, condition: Sql) => sql`
    ${converted} converted cross join lateral (
      select ${key} as key from hit
      where ${inScope('hit', scope)} and hit.day = converted.day and hit.visitor = converted.visitor
        and hit.time between converted.started and converted.ended and ${condition}
    ) keys`;
  if (typeof by === 'object') {
    const value = sql`(hit.props ->> ${storableString(by.property)}::text) collate "C"`;
    return ofHits(
      value,
      sql`hit.name = ${storableString(by.event)} and hit.props ? ${storableString(by.property)}::text`,
    );
  }
  switch (by) {
    case 'total':
      return single(sql`null::text`);
    case 'day':
      return single(sql`converted.day::text`);
    case 'hour': {
      const hour = hourOf('converted.started', hoursAround(zone, scope.days));
      return single(sql`extract(epoch from ${hour})::bigint::text`);
    }
    case 'page':
      return ofHits(sql`hit.page`, sql`hit.name is null`);
    case 'event':
      return ofHits(sql`hit.name`, sql`hit.name is not null`);
    default:
      return sql`
        ${converted} converted join (select day, visitor, started, ${sql.ref(by)} as key from ${chosen}) keys
          using (day, visitor, started)`;
  }
}
