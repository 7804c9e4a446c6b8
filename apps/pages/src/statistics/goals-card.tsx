import type { Definition } from '@hitherto/domain/definitions';
import type { ShownGoal, ShownStep } from '@hitherto/domain/reading';
import { parameterOf } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import { useLocale } from '../shared/locale.tsx';
import { funnelCsvPath, goalsCsvPath } from '../shared/paths.ts';
import { Bar, Rate } from './list-card.tsx';
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
}

/** The goals of the website with their numbers, in the order of their creation. A name filters by its goal; a rate puts that goal into all lists. */
export function GoalsCard({ path, selection, goals }: GoalsCardProps) {
  const { words } = useLocale();
  const most = Math.max(1, ...goals.map(({ numbers }) => numbers.visitors));
  const hasSums = goals.some(({ numbers }) => numbers.sum !== null);
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
              {hasSums && <th scope="col">{words.goals.sum}</th>}
            </tr>
          </thead>
          <tbody>
            {goals.map((each) => (
              <Row key={each.goal.id} {...each} path={path} selection={selection} most={most} hasSums={hasSums} />
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
}

function Row({ path, selection, goal: { id, name }, numbers, most, hasSums }: RowProps) {
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
        <Bar share={visitors / most} />
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
      {hasSums && <td data-metric="sum">{sum === null ? '' : <data value={sum}>{format.decimal(sum)}</data>}</td>}
    </tr>
  );
}

/** One of the website's funnels, with its numbers. */
export interface FunnelNumbers {
  readonly funnels: readonly Definition<'funnel'>[];
  /** The one in front. */
  readonly shown: Definition<'funnel'>;
  readonly steps: readonly ShownStep[];
}

interface FunnelsCardProps extends CardProps, FunnelNumbers {}

/** One funnel: a bar for each step, and between two of them how many visits were lost. */
export function FunnelsCard({ path, selection, funnels, shown, steps }: FunnelsCardProps) {
  const { goals } = useLocale().words;
  const tabHref = (id: string) =>
    `${hrefOf(path, { ...selection, funnel: id === funnels[0]?.id ? undefined : id })}#funnels`;
  return (
    <section class="card lists" id="funnels" aria-labelledby="funnels-title">
      <div class="card-head">
        <h2 id="funnels-title">{goals.funnel(<bdi>{shown.name}</bdi>)}</h2>
        {funnels.length > 1 && (
          <nav class="tabs" aria-label={goals.funnels}>
            {funnels.map(({ id, name }) => (
              <a key={id} href={tabHref(id)} aria-current={id === shown.id ? 'true' : undefined}>
                <bdi>{name}</bdi>
              </a>
            ))}
          </nav>
        )}
      </div>
      <div class="list">
        <ol class="funnel">
          {steps.map((step, index) => (
            <Step key={index} step={step} before={steps[index - 1]} />
          ))}
        </ol>
        <p class="list-foot">
          <span>{goals.inOrder}</span>
          <a href={hrefOf(funnelCsvPath(path, shown.id), withoutLook(selection))}>CSV</a>
        </p>
      </div>
    </section>
  );
}

function Step({ step, before }: { readonly step: ShownStep; readonly before: ShownStep | undefined }) {
  const { name, visits, visitors, ofFirst } = step;
  const locale = useLocale();
  const { format } = locale;
  const loss = lossBetween(locale, before, step);
  return (
    <li data-step={name} data-visits={visits} data-visitors={visitors}>
      {loss !== undefined && <p class="loss">{loss}</p>}
      <div class="reached">
        <Bar share={ofFirst ?? 0} />
        <span class="label">
          <bdi>{name}</bdi>
        </span>
        <span class="number">{format.count(visits)}</span>
        <span class="number share">{format.rate(ofFirst)}</span>
      </div>
    </li>
  );
}

/** How many visits do not go on from the step before; `undefined` for the first step. */
function lossBetween({ words, format }: Locale, before: ShownStep | undefined, step: ShownStep): string | undefined {
  if (before === undefined || before.visits === 0) return undefined;
  const lost = before.visits - step.visits;
  if (lost === 0) return words.goals.nobodyLeft;
  return words.goals.left(format.count(lost), format.share(lost / before.visits));
}
