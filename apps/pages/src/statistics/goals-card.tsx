import type { Day } from '@hitherto/domain/calendar';
import type { Definition } from '@hitherto/domain/definitions';
import type { DayConversions } from '@hitherto/domain/engine';
import type { ShownGoal } from '@hitherto/domain/reading';
import { parameterOf } from '@hitherto/domain/visits';
import { useLocale } from '../shared/locale.tsx';
import { goalsCsvPath } from '../shared/paths.ts';
import { SparkLine } from '../shared/spark-line.tsx';
import type { RowChange } from './cards.ts';
import { Bar, ChangeHead, ChangeText, changeClass, Rate } from './list-card.tsx';
import { hrefOf, type Selection, withFilter, withoutLook, withoutValue } from './selection.ts';

interface CardProps {
  /** Of the statistics page. */
  readonly path: string;
  readonly selection: Selection;
}

interface GoalsCardProps extends CardProps {
  readonly goals: readonly GoalNumbers[];
}

/** A goal and its numbers. */
export interface GoalNumbers {
  readonly goal: Definition<'goal'>;
  readonly numbers: ShownGoal;
  /** The conversions of the intervals of the chart that are over; fewer than two are no line. */
  readonly line: readonly number[];
  /** Of its visitors; `undefined` where they are not compared. */
  readonly change: RowChange | undefined;
}

/** The conversions between each of these days and the next one. */
export function lineOfGoal(bounds: readonly Day[], days: readonly DayConversions[]): readonly number[] {
  return bounds.slice(1).map((end, index) => {
    const start = bounds[index] ?? end;
    return days.reduce((sum, { day, conversions }) => sum + (day >= start && day < end ? conversions : 0), 0);
  });
}

/** The goals of the website with their numbers, in the order of their creation. A name filters by its goal; a rate puts that goal into all lists. */
export function GoalsCard({ path, selection, goals }: GoalsCardProps) {
  const { words } = useLocale();
  const most = Math.max(1, ...goals.map(({ numbers }) => numbers.visitors));
  const hasSums = goals.some(({ numbers }) => numbers.sum !== null);
  const isCompared = goals.some(({ change }) => change !== undefined);
  return (
    <section class="card lists" id="goals" aria-labelledby="goals-title">
      <div class="card-head">
        <h2 id="goals-title">{words.goals.goals}</h2>
      </div>
      <div class="list goals">
        <table data-dimension="goal">
          <caption>{words.goals.goals}</caption>
          <thead>
            <tr>
              <th scope="col">{words.filters.goal}</th>
              <th scope="col">{words.figures.visitors}</th>
              <th scope="col" title={words.goals.timesTitle}>
                {words.goals.times}
              </th>
              <th scope="col" title={words.goals.rateTitle}>
                {words.lists.rate}
              </th>
              {hasSums && (
                <th scope="col" class="sum">
                  {words.goals.sum}
                </th>
              )}
              {isCompared && <ChangeHead />}
            </tr>
          </thead>
          <tbody>
            {goals.map((each) => (
              <Row key={each.goal.id} {...each} {...{ path, selection, most, hasSums, isCompared }} />
            ))}
          </tbody>
        </table>
        <p class="list-foot">
          <span>{words.goals.clickRate}</span>
          <a href={hrefOf(goalsCsvPath(path), withoutLook(selection))}>CSV</a>
        </p>
      </div>
    </section>
  );
}

interface RowProps extends CardProps, GoalNumbers {
  /** The visitors of the row with the longest bar. */
  readonly most: number;
  readonly hasSums: boolean;
  readonly isCompared: boolean;
}

function Row({ path, selection, goal: { id, name }, numbers, line, change, most, hasSums, isCompared }: RowProps) {
  const { words, format } = useLocale();
  const { visitors, conversions, conversionRate, sum } = numbers;
  const filtered = selection.filters.find((filter) => parameterOf(filter) === 'goal');
  const isFilter = filtered?.kind === 'goal' && filtered.goals.includes(id);
  const single = { kind: 'goal', isNegated: false, goals: [id] } as const;
  // There may be too many filters for one more.
  const chosen = isFilter ? withoutValue(selection, single) : withFilter(selection, single);
  const isRated = selection.conversion === id;
  const label = <bdi>{name}</bdi>;
  return (
    <tr data-value={id}>
      <th scope="row" class={isFilter ? 'is-filter' : undefined}>
        {line.length > 1 ? <SparkLine values={line} /> : <Bar share={visitors / most} />}
        {chosen === undefined ? (
          <span class="label">{label}</span>
        ) : (
          <a class="label" href={hrefOf(path, chosen)} title={isFilter ? words.lists.removeFilter(name) : name}>
            {label}
          </a>
        )}
      </th>
      <td data-metric="visitors">{format.count(visitors)}</td>
      <td data-metric="conversions">{format.count(conversions)}</td>
      <td data-metric="conversion_rate">
        <a
          href={hrefOf(path, { ...selection, conversion: isRated ? undefined : id })}
          aria-current={isRated ? 'true' : undefined}
          title={isRated ? words.goals.isRated : words.goals.showRate(name)}
        >
          <Rate rate={conversionRate} />
        </a>
      </td>
      {hasSums && (
        <td class="sum" data-metric="sum">
          {sum === null ? '' : <data value={sum}>{format.decimal(sum)}</data>}
        </td>
      )}
      {isCompared && (
        <td class={changeClass(change)}>
          <ChangeText change={change} />
        </td>
      )}
    </tr>
  );
}
