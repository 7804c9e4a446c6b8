import { storableString } from '@hitherto/domain/base';
import type { ConversionsBy, ConvertedRow, CountedGoal, GoalNumbers, StepNumbers } from '@hitherto/domain/engine';
import { addDecimals, type FunnelRules, type HitRule, readDecimal } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { join, raw, type Sql, sql, unionAll } from '../connection/sql.ts';
import { toValue, UNBOUNDED } from '../tables/kinds.ts';
import { HIT_ARRAYS, HITS, hasHit, isFulfilled } from '../visits/conditions.ts';
import { hourOf } from '../visits/hours.ts';
import { selectItems } from '../visits/numbers.ts';
import { selectVisits, VISITORS, type VisitScope } from '../visits/select-visits.ts';
import { chosenVisits, type Reading } from './rows.ts';

/** Chosen visits that have a conversion. */
function convertedVisits(reading: Reading, rule: HitRule): VisitScope {
  const { filter, ...scope } = chosenVisits(reading);
  const isConverted = hasHit(isFulfilled(rule));
  const condition = filter === undefined ? isConverted : sql`${filter.condition} and ${isConverted}`;
  return { ...scope, filter: { condition, columns: [...(filter?.columns ?? []), ...HIT_ARRAYS] } };
}

/** How many hits of a visit fulfil the rule. */
function conversionsOf(rule: HitRule): Sql {
  return sql`arrayCount((n, p, m, c) -> ${isFulfilled(rule)}, ${HITS})`;
}

/** A decimal number without an exponent (`readDecimal` in the domain), and one that fits into {@link EXACT}. */
const DECIMAL = '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)$';
const FITS = '^[+-]?([0-9]{1,30}\\.?[0-9]{0,30}|\\.[0-9]{1,30})$';
const EXACT = sql`toDecimal256OrZero(v, 30)`;

interface GoalRow {
  readonly place: number;
  readonly visitors: string;
  readonly visits: string;
  readonly conversions: string;
  /** By day, in order of time. */
  readonly days: Readonly<Record<string, string>>;
  readonly amount: string;
  readonly other_amounts: readonly string[];
}

/** Reads the numbers of goals of the chosen visits. */
export async function readGoals(
  server: ClickHouse,
  reading: Reading,
  goals: readonly CountedGoal[],
): Promise<readonly GoalNumbers[]> {
  if (goals.length === 0) return [];
  const selects = goals.map(({ rule, sum }, place) => {
    const name = storableString(sum ?? '');
    const values =
      sum === null
        ? sql`emptyArrayString()`
        : sql`arrayFilter(v -> match(v, ${DECIMAL}), arrayMap(m -> m[${name}],
            arrayFilter((m, n, p, _, c) -> ${isFulfilled(rule)} and mapContains(m, ${name}), props, ${HITS})))`;
    return sql`
      select ${place} as place, ${VISITORS} as visitors, count() as visits, sum(${conversionsOf(rule)}) as conversions,
        sumMap(map(toString(day), ${conversionsOf(rule)})) as days,
        toString(sum(arraySum(arrayMap(v -> if(match(v, ${FITS}), ${EXACT}, toDecimal256(0, 30)), amounts)))) as amount,
        groupArrayArray(arrayFilter(v -> not match(v, ${FITS}), amounts)) as other_amounts
      from (select *, ${values} as amounts from (${selectVisits(convertedVisits(reading, rule), HIT_ARRAYS)}))`;
  });
  const rows = await server.read<GoalRow>(sql`select * from (${unionAll(selects)}) order by place`);
  return goals.map(({ sum }, place) => {
    const row = rows.find((found) => Number(found.place) === place);
    const amounts = [row?.amount ?? '0', ...(row?.other_amounts ?? [])].flatMap((text) => readDecimal(text) ?? []);
    return {
      visitors: Number(row?.visitors ?? 0),
      visits: Number(row?.visits ?? 0),
      conversions: Number(row?.conversions ?? 0),
      sum: sum === null ? null : addDecimals(amounts),
      days: Object.entries(row?.days ?? {}).map(([day, conversions]) => ({ day, conversions: Number(conversions) })),
    };
  });
}

/** Reads how many of the chosen visits reach each step. */
export async function readFunnel(
  server: ClickHouse,
  reading: Reading,
  { steps, isStrict }: FunnelRules,
): Promise<readonly StepNumbers[]> {
  const [first] = steps;
  if (first === undefined) return [];
  const reached = isStrict ? strictStepsReached(steps) : stepsReached(steps);
  const visits = sql`
    select *, ${reached} as steps_reached from (${selectVisits(convertedVisits(reading, first), HIT_ARRAYS)})`;
  const counts = steps.map((_, step) => {
    const isReached = sql`steps_reached > ${step}`;
    return sql`
      countIf(${isReached}) as ${raw(`visits_${step}`)},
      countIf(is_only and ${isReached}) + uniqExactIf((day, visitor), not is_only and ${isReached})
        as ${raw(`visitors_${step}`)}`;
  });
  const [row = {}] = await server.read<Record<string, string>>(sql`select ${join(counts)} from (${visits})`);
  return steps.map((_, step) => ({
    visits: Number(row[`visits_${step}`] ?? 0),
    visitors: Number(row[`visitors_${step}`] ?? 0),
  }));
}

/** How many steps a visit reaches. The first hit for each step leaves the most hits for the next ones. */
function stepsReached(steps: readonly HitRule[]): Sql {
  const isNext = sql`multiIf(${join(steps.flatMap((rule, step) => [sql`reached = ${step}`, isFulfilled(rule)]))}, false)`;
  return sql`arrayFold((reached, n, p, m) -> toUInt8(reached + ${isNext}), names, pages, props, toUInt8(0))`;
}

/**
 * The same without other pageviews between steps. The bits of `s.1` are the numbers of steps that the next hit can continue, those
 * of `s.2` the numbers of steps that are reached.
 */
function strictStepsReached(steps: readonly HitRule[]): Sql {
  const fulfilled = steps.map((rule, step) => sql`if(${isFulfilled(rule)}, ${1 << step}, 0)`);
  const next = sql`toUInt32(bitShiftLeft(bitAnd(bitOr(s.1, 1), toUInt32(${join(fulfilled, ' + ')})), 1))`;
  const both = sql`
    arrayFold((s, n, p, m) -> (if(n = '', ${next}, bitOr(s.1, ${next})), bitOr(s.2, ${next})),
      names, pages, props, (toUInt32(0), toUInt32(0)))`;
  return sql`toUInt8(floor(log2(bitOr((${both}).2, 1))))`;
}

/** Reads the groups of the chosen visits that have a conversion. */
export async function readConversions(
  server: ClickHouse,
  reading: Reading,
  { rule }: CountedGoal,
  by: ConversionsBy,
  values: readonly (string | null)[] | undefined,
): Promise<readonly ConvertedRow[]> {
  const wanted = values?.map((value) => storableString(value ?? ''));
  const isWanted = wanted === undefined ? sql`true` : wanted.length === 0 ? sql`false` : sql`key in (${join(wanted)})`;
  const rows = await server.read<{ key: string; visitors: string; conversions: string }>(sql`
    select toString(key) as key, ${VISITORS} as visitors, sum(conversions) as conversions
    from (${keyedVisits(reading, rule, by)}) where ${isWanted} group by key`);
  return rows.map(({ key, visitors, conversions }) => ({
    key: keyOf(key, by),
    visitors: Number(visitors),
    conversions: Number(conversions),
  }));
}

/** A select of converted visits with each group that they belong to. */
function keyedVisits(reading: Reading, rule: HitRule, by: ConversionsBy): Sql {
  const conversions = conversionsOf(rule);
  if (by === 'total' || by === 'day' || by === 'hour') {
    const hour = hourOf(raw('started'), reading.zone, reading.from, reading.to);
    const key = { total: sql`''`, day: sql`toString(day)`, hour: sql`toString(${hour})` }[by];
    return sql`
      select *, ${conversions} as conversions, ${key} as key
      from (${selectVisits(convertedVisits(reading, rule), ['started', ...HIT_ARRAYS])})`;
  }
  // Rare values are folded as in the lists, where all visits count.
  const isFolded = typeof by === 'string' && !reading.isChoice;
  const grouping =
    typeof by === 'string' ? by : { event: storableString(by.event), property: storableString(by.property) };
  const options = {
    scope: isFolded ? chosenVisits(reading) : convertedVisits(reading, rule),
    folded: isFolded ? UNBOUNDED : [],
    counted: 'listed',
  } as const;
  return sql`
    select *, toString(value) as key
    from (${selectItems(grouping, options, { conversions, columns: HIT_ARRAYS })})
    where conversions > 0`;
}

function keyOf(key: string, by: ConversionsBy): ConvertedRow['key'] {
  if (typeof by === 'object') return key;
  switch (by) {
    case 'total':
      return null;
    case 'day':
      return key;
    case 'hour':
      return new Date(Number(key) * 1_000);
    default:
      return toValue(key);
  }
}
