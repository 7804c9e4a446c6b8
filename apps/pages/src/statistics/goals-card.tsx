import { formatCount } from '@hitherto/domain/format';
import type { FunnelsView, GoalRow, GoalsView, StepView } from './goals-view.ts';
import { Bar, Rate } from './list-card.tsx';

/** The goals of the website with their numbers. A name filters by its goal; a rate puts that goal into all lists. */
export function GoalsCard({ goals: { rows, hasSums, csvHref } }: { readonly goals: GoalsView }) {
  return (
    <section class="card lists" id="goals" aria-labelledby="goals-title">
      <div class="card-head">
        <h2 id="goals-title">Goals</h2>
      </div>
      <div class="list goals">
        <table data-dimension="goal">
          <caption>Goals</caption>
          <thead>
            <tr>
              <th scope="col">Goal</th>
              <th scope="col">Visitors</th>
              <th scope="col" title="How often the goal was reached">
                Times
              </th>
              <th scope="col" title="Visitors who reached the goal, of all visitors">
                Rate
              </th>
              {hasSums && <th scope="col">Sum</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.id} row={row} hasSums={hasSums} />
            ))}
          </tbody>
        </table>
        <p class="list-foot">
          <span>Click a rate to see it in every list.</span>
          <a href={csvHref}>CSV</a>
        </p>
      </div>
    </section>
  );
}

function Row({ row, hasSums }: { readonly row: GoalRow; readonly hasSums: boolean }) {
  const { id, name, href, isFilter, visitors, conversions, rateHref, isRated, conversionRate, amount, sum } = row;
  const label = <bdi>{name}</bdi>;
  return (
    <tr data-value={id}>
      <th scope="row" class={isFilter ? 'is-filter' : undefined}>
        <Bar share={row.bar} />
        {href === undefined ? (
          <span class="label">{label}</span>
        ) : (
          <a class="label" href={href} title={isFilter ? `Remove the filter: ${name}` : name}>
            {label}
          </a>
        )}
      </th>
      <td data-metric="visitors">{formatCount(visitors)}</td>
      <td data-metric="conversions">{formatCount(conversions)}</td>
      <td data-metric="conversion_rate">
        <a
          href={rateHref}
          aria-current={isRated ? 'true' : undefined}
          title={
            isRated ? 'Lists show this rate. Show their usual numbers again' : `Show the rate of ${name} in all lists`
          }
        >
          <Rate rate={conversionRate} />
        </a>
      </td>
      {hasSums && <td data-metric="sum">{amount === undefined ? '' : <data value={sum ?? ''}>{amount}</data>}</td>}
    </tr>
  );
}

/** One funnel: a bar for each step, and between two of them how many visits were lost. */
export function FunnelsCard({ funnels: { tabs, name, steps, csvHref } }: { readonly funnels: FunnelsView }) {
  return (
    <section class="card lists" id="funnels" aria-labelledby="funnels-title">
      <div class="card-head">
        <h2 id="funnels-title">
          Funnel: <bdi>{name}</bdi>
        </h2>
        {tabs.length > 1 && (
          <nav class="tabs" aria-label="Funnels">
            {tabs.map((tab) => (
              <a key={tab.href} href={tab.href} aria-current={tab.isInFront ? 'true' : undefined}>
                <bdi>{tab.name}</bdi>
              </a>
            ))}
          </nav>
        )}
      </div>
      <div class="list">
        <ol class="funnel">
          {steps.map((step, index) => (
            <Step key={index} step={step} />
          ))}
        </ol>
        <p class="list-foot">
          <span>Visits that take the steps in this order.</span>
          <a href={csvHref}>CSV</a>
        </p>
      </div>
    </section>
  );
}

function Step({ step: { name, visits, visitors, bar, share, loss } }: { readonly step: StepView }) {
  return (
    <li data-step={name} data-visits={visits} data-visitors={visitors}>
      {loss !== undefined && <p class="loss">{loss}</p>}
      <div class="reached">
        <Bar share={bar} />
        <span class="label">
          <bdi>{name}</bdi>
        </span>
        <span class="number">{formatCount(visits)}</span>
        <span class="number share">{share}</span>
      </div>
    </li>
  );
}
