import { compareBytes, storableString } from '@hitherto/domain/base';
import type { ValuePage, ValuePosition } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { countColumns } from '../columns/count.ts';
import { byProperty, byPropertyNames } from '../columns/grouping.ts';
import { countTotals } from '../columns/totals.ts';
import { countVisitors } from '../columns/visitors.ts';
import type { VisitSources } from '../days/day-sources.ts';
import { NO_GAPS } from '../summary-columns.ts';
import { chosenVisits, inScope, type Scope } from '../visits/chosen-visits.ts';
import { IS_OF_VISIT } from '../visits/visits.ts';
import { addUp, pageOfValues, readValues } from './value-list.ts';

const MAX_NAMES = 100;

/** Reads the values of a property of the events of one name, or of any. */
export async function readPropertyValues(
  transaction: Transaction,
  { fromColumns, fromVisits }: VisitSources,
  event: string | undefined,
  property: string,
  limit: number,
  position: ValuePosition | undefined,
): Promise<ValuePage> {
  const counter = countTotals(
    byProperty({ event: event && storableString(event), property: storableString(property) }),
  );
  await countColumns(transaction, fromColumns, [counter]);
  const ofVisits = await readValues(transaction, valuesOfHits(fromVisits, event, property));
  return pageOfValues(addUp([counter.result(), ofVisits]), limit, position);
}

/** A select of the values of a property, from raw hits. */
function valuesOfHits(scope: Scope, event: string | undefined, property: string): RawBuilder<unknown> {
  const name = sql`${storableString(property)}::text`;
  return sql`
    select day, value, count(distinct visitor) as visitors, count(*) as visits, 0 as pageviews, sum(events) as events,
      count(*) filter (where pageviews = 1 and visit_events = 0) as bounces,
      count(*) filter (where pageviews > 0) as visits_with_pageviews, sum(duration)::bigint as duration,
      ${NO_GAPS}
    from (
      select visit.day, visit.visitor, (hit.props ->> ${name}) collate "C" as value, count(*) as events, visit.pageviews,
        visit.events as visit_events, extract(epoch from visit.ended - visit.started) * 1000 as duration
      ${eventsOf(scope, event)} and hit.props ? ${name}
      group by value, visit.day, visit.visitor, visit.started, visit.ended, visit.pageviews, visit.events
    ) of_visit
    group by day, value`;
}

/** Reads the names of the properties of the events of one name. */
export async function readPropertyNames(
  transaction: Transaction,
  { fromColumns, fromVisits }: VisitSources,
  event: string,
): Promise<string[]> {
  const counter = countVisitors(byPropertyNames(storableString(event)));
  await countColumns(transaction, fromColumns, [counter]);
  const { rows } = await transaction.query(
    once(sql<{ name: string }>`
      select distinct property.name collate "C" as name
      from (select hit.props ${eventsOf(fromVisits, event)}) of_event
        cross join lateral jsonb_object_keys(of_event.props) property (name)
      order by name limit ${MAX_NAMES}`),
  );
  const ofColumns = [...counter.result().keys()].flatMap((names): string[] => JSON.parse(names ?? '[]'));
  return [...new Set([...ofColumns, ...rows.map(({ name }) => name)])].sort(compareBytes).slice(0, MAX_NAMES);
}

/** The events of one name, or of any, in the chosen visits, as the `from` and `where` of a select. */
function eventsOf(scope: Scope, event: string | undefined): RawBuilder<unknown> {
  const isNamed = event === undefined ? sql`is not null` : sql`= ${storableString(event)}`;
  return sql`
    from ${chosenVisits(scope)} visit join hit on ${IS_OF_VISIT}
    where ${inScope('hit', scope)} and hit.name ${isNamed}`;
}
