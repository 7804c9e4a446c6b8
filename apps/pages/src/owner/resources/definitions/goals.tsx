import { ALERT } from '@hitherto/domain/alerts';
import { parseNewGoal, SEGMENT } from '@hitherto/domain/definitions';
import { countOf } from '@hitherto/domain/format';
import { showGoals } from '@hitherto/domain/reading';
import { listResources } from '@hitherto/domain/resources';
import { ENGLISH } from '@hitherto/words';
import type { JSX } from 'preact';
import { TextField } from '../../field.tsx';
import { type OpenedWebsite, openWebsite } from '../opened.tsx';
import { parseWith } from '../rejection.ts';
import type { ControlsProps } from '../resource-pages.ts';
import { definitionPages } from './definition-pages.tsx';
import { Numbers } from './numbers.tsx';
import { placeRuleFault, RuleControls, readRule, ruleFields, ruleLists, typedRule } from './rule.tsx';
import { RuleWords, Value } from './words.tsx';

export const GOALS = definitionPages<'goal', OpenedWebsite>({
  kind: 'goal',
  page: 'goals',
  parameter: 'goal',
  purpose:
    'A goal is something that visitors should do, such as sign up or reach the page after an order. It counts the past as well, as far as hits are kept.',

  open: (deps, request) => openWebsite(deps, request, 'goals'),

  summarize: (_deps, _found, goals) =>
    goals.map(({ id, content: { rule, sum } }) => (
      <span key={id}>
        <RuleWords rule={rule} />
        {sum !== null && (
          <>
            ; adds up <Value text={sum} />
          </>
        )}
      </span>
    )),

  async warn(deps, { owner }, { id }) {
    const segments = await listResources(deps, SEGMENT, owner);
    const affected = segments.filter(({ content }) =>
      content.filters.some((filter) => filter.kind === 'goal' && filter.goals.includes(id)),
    );
    const alerts = (await listResources(deps, ALERT, owner)).filter(({ goalId }) => goalId === id);
    if (affected.length === 0 && alerts.length === 0) return undefined;
    return (
      <>
        No visit reaches a goal that is deleted.
        {affected.length > 0 && (
          <>
            {' '}
            Segments that choose visits by it:{' '}
            {affected.map((segment, index) => (
              <span key={segment.id}>
                {index > 0 && ', '}
                <Value text={segment.name} />
              </span>
            ))}
            .
          </>
        )}
        {alerts.length > 0 && ` ${countOf(alerts.length, 'alert', 'alerts')} of it will no longer fire.`}
      </>
    );
  },

  blank(_deps, _found, query) {
    const [event, page] = [query.get('event'), query.get('page')];
    return { name: query.get('name') ?? '', ...(page === null ? { event: event ?? '' } : { kind: 'page', page }) };
  },

  fieldsOf: ({ rule, sum }) => ({ ...ruleFields(rule), sum: sum ?? '' }),

  asTyped: ({ rule, sum }) => ({ rule: typedRule(rule), sum }),

  parse(fields) {
    const { rule, faults } = readRule(fields);
    const sum = 'page' in rule ? '' : (fields.sum?.trim() ?? '');
    const input = { name: fields.name?.trim(), ...rule, sum: sum === '' ? null : sum };
    return parseWith(faults, () => parseNewGoal(input));
  },

  placeFault: (fault, fields) => placeRuleFault(fault, fields),

  async controls(deps, found, form) {
    return <Controls {...form}>{await ruleLists(deps, found)}</Controls>;
  },

  async preview({ statistics }, _found, query, content) {
    const [goal] = await showGoals({ statistics }, query, [{ id: 'preview', ...content }]);
    if (goal === undefined || goal.conversions === 0) {
      return <p>It did not happen in this period. Compare the names with those that the form suggests.</p>;
    }
    const { conversions, visits, visitors, conversionRate, sum } = goal;
    return (
      <Numbers
        rows={[
          { name: 'Conversions', metric: 'conversions', value: ENGLISH.format.count(conversions) },
          { name: 'Visits', metric: 'visits', value: ENGLISH.format.count(visits) },
          { name: 'Visitors', metric: 'visitors', value: ENGLISH.format.count(visitors) },
          {
            name: 'Of all visitors',
            metric: 'conversion_rate',
            value: `${ENGLISH.format.percent(conversionRate ?? 0)}\u00a0%`,
          },
          ...(sum === null ? [] : [{ name: 'Sum', metric: 'sum', value: ENGLISH.format.decimal(sum) }]),
        ]}
      />
    );
  },
});

function Controls({ fields, faults, children }: ControlsProps & { readonly children: JSX.Element }) {
  return (
    <fieldset class="all rule">
      <RuleControls fields={fields} faults={faults} legend="Counts" />
      <div class="of-event">
        <TextField
          name="sum"
          label="Property to add up"
          hint="Such as amount, if the events have a number there. Empty for none."
          value={fields.sum}
          faults={faults}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      {children}
    </fieldset>
  );
}
