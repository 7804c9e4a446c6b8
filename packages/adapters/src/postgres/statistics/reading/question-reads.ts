import {
  type ConversionsBy,
  type ConvertedRow,
  type CountedGoal,
  DIMENSIONS,
  type GoalNumbers,
  type HitRule,
  OTHER_VALUES,
  type StepNumbers,
  type TimeZone,
} from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { storableText } from '../../../texts.ts';
import { type Cte, cte } from '../../connection/cte.ts';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { hourOf, hoursAround } from '../days/hours.ts';
import { chosenVisits, inScope, type Scope } from '../visits/chosen-visits.ts';
import { isFulfilled } from '../visits/filter-conditions.ts';
import { FIRST_HIT_COLUMNS, IS_OF_VISIT } from '../visits/visits.ts';

type Sql = RawBuilder<unknown>;

/** Reads what the chosen visits come to for goals. */
export async function readGoals(
  transaction: Transaction,
  scope: Scope,
  goals: readonly CountedGoal[],
): Promise<readonly GoalNumbers[]> {
  if (goals.length === 0) return [];
  const chosen = chosenVisits(scope);
  const selects = goals.map(
    (goal, place) => sql`
      select ${place}::integer as place, count(distinct (day, visitor))::double precision as visitors,
        count(*)::double precision as visits, coalesce(sum(conversions), 0)::double precision as conversions,
        ${goal.sum === null ? sql`null` : sql`round(coalesce(sum(amount), 0), 2)::text`} as sum
      from (${conversionsOf(chosen, scope, goal)}) converted`,
  );
  const { rows } = await transaction.query(
    once(sql<GoalNumbers & { place: number }>`
      ${sql.join(selects, sql` union all `)} order by place`),
  );
  return rows.map(({ visitors, visits, conversions, sum }) => ({ visitors, visits, conversions, sum }));
}

/** A decimal number without an exponent. */
const DECIMAL = '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)$';

/** Selects the chosen visits that have a conversion, with the number of their conversions and what these add up to. */
function conversionsOf(chosen: Cte, scope: Scope, { rule, sum }: Pick<CountedGoal, 'rule' | 'sum'>): Sql {
  const value = sql`(hit.props ->> ${storableText(sum ?? '')}::text)`;
  const amount =
    sum === null ? sql`null::numeric` : sql`sum(case when ${value} ~ ${DECIMAL} then ${value}::numeric end)`;
  return sql`
    select visit.day, visit.visitor, visit.started, visit.ended, count(*) as conversions, ${amount} as amount
    from ${chosenHits(chosen, scope, [rule])}
    group by visit.day, visit.visitor, visit.started, visit.ended`;
}

/** The chosen visits joined with their hits that fulfil any of the rules. */
function chosenHits(chosen: Cte, scope: Scope, rules: readonly HitRule[]): Sql {
  const isOfAny = sql.join(rules.map(isFulfilled), sql` or `);
  return sql`
    ${chosen} visit join (select * from hit where ${inScope('hit', scope)} and (${isOfAny})) hit on ${IS_OF_VISIT}`;
}

/** Reads how many of the chosen visits reach each step. */
export async function readFunnel(
  transaction: Transaction,
  scope: Scope,
  steps: readonly HitRule[],
): Promise<readonly StepNumbers[]> {
  const fulfilled = steps.map((rule, step) => sql`coalesce(${isFulfilled(rule)}, false) as ${sql.ref(`is_${step}`)}`);
  const places = steps.map(
    (_, step) => sql`array_agg(place) filter (where ${sql.ref(`is_${step}`)}) as ${sql.ref(`places_${step}`)}`,
  );
  // The first place for each step leaves the most hits for the next ones.
  const reached = steps.map(
    (_, step) => sql`
      cross join lateral (
        select min(place) as place from unnest(${sql.ref(`places_${step}`)}) place
        where ${step === 0 ? sql`true` : sql`place > ${sql.ref(`reached_${step - 1}.place`)}`}
      ) ${sql.table(`reached_${step}`)}`,
  );
  const counts = steps.map((_, step) => {
    const isReached = sql`${sql.ref(`reached_${step}.place`)} is not null`;
    return sql`
      (count(*) filter (where ${isReached}))::double precision as ${sql.ref(`visits_${step}`)},
      (count(distinct (day, visitor)) filter (where ${isReached}))::double precision as ${sql.ref(`visitors_${step}`)}`;
  });
  const placed = sql`
    select visit.day, visit.visitor, visit.started, ${sql.join(fulfilled)},
      row_number() over (partition by visit.day, visit.visitor, visit.started order by ${HIT_ORDER}) as place
    from ${chosenHits(chosenVisits(scope), scope, steps)}`;
  const byVisit = sql`select day, visitor, ${sql.join(places)} from (${placed}) placed group by day, visitor, started`;
  const { rows } = await transaction.query(
    once(sql<Record<string, number>>`
      select ${sql.join(counts)} from (${byVisit}) by_visit ${sql.join(reached, sql` `)}`),
  );
  const [row = {}] = rows;
  return steps.map((_, step) => ({ visits: row[`visits_${step}`] ?? 0, visitors: row[`visitors_${step}`] ?? 0 }));
}

/** The order of a visitor's hits (`compareHits` in the domain). */
const HIT_ORDER = sql`
  hit.time, hit.name is not null, hit.page, hit.name, ${columnsOf(FIRST_HIT_COLUMNS, 'hit')},
  coalesce((
    select array_agg(array[name collate "C", value collate "C"] order by name collate "C")
    from jsonb_each_text(hit.props) property (name, value)
  ), '{}')`;

/**
 * Reads the groups of the chosen visits that have a conversion.
 *
 * @param list a select of the days and values of the list that the groups belong to: rare values are folded there
 */
export async function readConversions(
  transaction: Transaction,
  scope: Scope,
  goal: CountedGoal,
  by: ConversionsBy,
  zone: TimeZone,
  values: readonly (string | null)[] | undefined,
  list: Sql | undefined,
): Promise<readonly ConvertedRow[]> {
  const wanted = values?.map((value) => value && storableText(value));
  const isWanted =
    wanted === undefined
      ? sql`true`
      : sql`(key = any(${wanted}::text[]) or key is null and ${wanted.includes(null)}::boolean)`;
  const dimension = DIMENSIONS.find((name) => name === by);
  const chosen = chosenVisits(scope, dimension === undefined ? [] : [dimension]);
  const converted = cte('converted', conversionsOf(chosen, scope, { rule: goal.rule, sum: null }), {
    materialized: true,
  });
  const keys = keysOf(chosen, converted, scope, by, zone);
  const keyed = sql`select distinct day, visitor, started, conversions, key from ${keys}`;
  const { rows } = await transaction.query(
    once(sql<{ key: string | null; visitors: number; conversions: number }>`
      select key, count(distinct (day, visitor))::double precision as visitors,
        sum(conversions)::double precision as conversions
      from (${list === undefined ? keyed : folded(keyed, list)}) grouped where ${isWanted} group by key`),
  );
  return rows.map((row) => ({ ...row, key: by === 'hour' ? new Date(Number(row.key) * 1_000) : row.key }));
}

/** A select of `keyed`, with the values that a day's list does not keep as one. */
function folded(keyed: Sql, list: Sql): Sql {
  const listed = cte('listed', sql`select distinct day, value from (${list}) row`, { materialized: true });
  return sql`
    select distinct keyed.day, visitor, started, conversions,
      case when listed.day is null and keyed.day in (select day from ${listed} where value = ${OTHER_VALUES})
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
    const value = sql`(hit.props ->> ${storableText(by.property)}::text) collate "C"`;
    return ofHits(value, sql`hit.name = ${storableText(by.event)} and hit.props ? ${storableText(by.property)}::text`);
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
