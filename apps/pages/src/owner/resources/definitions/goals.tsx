import { ALERT } from '@hitherto/domain/alerts';
import { parseNewGoal, SEGMENT } from '@hitherto/domain/definitions';
import { showGoals } from '@hitherto/domain/reading';
import { listResources } from '@hitherto/domain/resources';
import type { JSX } from 'preact';
import { useLocale } from '../../../shared/locale.tsx';
import { TextField } from '../../field.tsx';
import { type OpenedWebsite, openWebsite } from '../opened.tsx';
import { parseWith } from '../rejection.ts';
import type { ControlsProps } from '../resource-pages.ts';
import { definitionPages } from './definition-pages.tsx';
import { Numbers } from './numbers.tsx';
import { placeRuleFault, RuleControls, readRule, ruleFields, ruleLists, typedRule } from './rule.tsx';
import { Names, RuleWords, Value } from './words.tsx';

export const GOALS = definitionPages<'goal', OpenedWebsite>({
  kind: 'goal',
  page: 'goals',
  parameter: 'goal',
  texts: ({ goal }) => goal,

  open: (deps, request) => openWebsite(deps, request, 'goals'),

  summarize: (_deps, { locale }, goals) =>
    goals.map(({ id, content: { rule, sum } }) => (
      <span key={id}>
        <RuleWords rule={rule} />
        {sum !== null && locale.words.resources.goal.addsUp(<Value text={sum} />)}
      </span>
    )),

  async warn(deps, { owner, locale }, { id }) {
    const { goal } = locale.words.resources;
    const segments = await listResources(deps, SEGMENT, owner);
    const affected = segments.filter(({ content }) =>
      content.filters.some((filter) => filter.kind === 'goal' && filter.goals.includes(id)),
    );
    const alerts = (await listResources(deps, ALERT, owner)).filter(({ goalId }) => goalId === id);
    if (affected.length === 0 && alerts.length === 0) return undefined;
    return (
      <>
        {goal.reachesNothing}
        {affected.length > 0 && <> {goal.ofSegments(<Names of={affected} />)}</>}
        {alerts.length > 0 && ` ${goal.ofAlerts(alerts.length)}`}
      </>
    );
  },

  blank(_deps, _found, query) {
    const [event, page] = [query.get('event'), query.get('page')];
    return { name: query.get('name') ?? '', ...(page === null ? { event: event ?? '' } : { kind: 'page', page }) };
  },

  fieldsOf: ({ rule, sum }, { locale }) => {
    const { scroll = '', seconds = '' } = 'page' in rule ? rule : {};
    return { ...ruleFields(locale, rule), sum: sum ?? '', scroll: `${scroll}`, seconds: `${seconds}` };
  },

  asTyped: ({ rule, sum }, { locale }) => ({ rule: typedRule(locale, rule), sum }),

  parse(fields, { locale }) {
    const { rule, faults } = readRule(locale, fields);
    const sum = 'page' in rule ? '' : (fields.sum?.trim() ?? '');
    const bounds = 'page' in rule ? { scroll: readBound(fields.scroll), seconds: readBound(fields.seconds) } : {};
    const input = { name: fields.name?.trim(), ...rule, ...bounds, sum: sum === '' ? null : sum };
    return parseWith(faults, () => parseNewGoal(input));
  },

  placeFault: (fault, fields, { locale }) => placeRuleFault(locale, fault, fields),

  async controls(deps, found, form) {
    return <Controls {...form}>{await ruleLists(deps, found)}</Controls>;
  },

  async preview({ statistics }, { locale: { words, format } }, query, content) {
    const texts = words.resources.goal;
    const [goal] = await showGoals({ statistics }, query, [{ id: 'preview', ...content }]);
    if (goal === undefined || goal.conversions === 0) {
      return <p>{texts.never}</p>;
    }
    const { conversions, visits, visitors, conversionRate, sum } = goal;
    return (
      <Numbers
        rows={[
          { name: texts.conversions, metric: 'conversions', value: format.count(conversions) },
          { name: words.figures.visits, metric: 'visits', value: format.count(visits) },
          { name: words.figures.visitors, metric: 'visitors', value: format.count(visitors) },
          {
            name: texts.ofAllVisitors,
            metric: 'conversion_rate',
            value: format.share(conversionRate ?? 0),
          },
          ...(sum === null ? [] : [{ name: texts.sum, metric: 'sum', value: format.decimal(sum) }]),
        ]}
      />
    );
  },
});

/** Nothing where it is empty. Anything but a whole number is rejected later. */
function readBound(text = ''): number | null {
  return text.trim() === '' ? null : Number(text);
}

function Controls({ fields, faults, children }: ControlsProps & { readonly children: JSX.Element }) {
  const { goal } = useLocale().words.resources;
  return (
    <fieldset class="all rule">
      <RuleControls fields={fields} faults={faults} legend={goal.counts} />
      <div class="of-event">
        <TextField
          name="sum"
          label={goal.property}
          hint={goal.propertyHint}
          value={fields.sum}
          faults={faults}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      {(['scroll', 'seconds'] as const).map((name) => (
        <div class="of-page" key={name}>
          <TextField
            name={name}
            label={goal[name]}
            hint={name === 'scroll' ? goal.boundsHint : undefined}
            value={fields[name]}
            faults={faults}
            inputmode="numeric"
            autocomplete="off"
          />
        </div>
      ))}
      {children}
    </fieldset>
  );
}
