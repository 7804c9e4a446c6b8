import {
  ALERT,
  ALERT_RULES,
  type Alert,
  type AlertDependencies,
  createAlert,
  MAX_ALERTS,
  parseAlert,
} from '@hitherto/domain/alerts';
import { type Definition, type DefinitionRepositories, GOAL } from '@hitherto/domain/definitions';
import type { ReportMailing } from '@hitherto/domain/reports';
import { listResources } from '@hitherto/domain/resources';
import { useLocale } from '../../../shared/locale.tsx';
import { websitePath } from '../../../shared/paths.ts';
import { Faults, SelectField, TextField } from '../../field.tsx';
import { type OpenedWebsite, openWebsite } from '../opened.tsx';
import type { ControlsProps, ResourcePages } from '../resource-pages.ts';
import { inputOf, placeFault, type RuleField } from './alert-form.ts';
import { detailOf, targetsOf } from './words.ts';

export interface AlertPagesDependencies extends AlertDependencies {
  readonly definitions: DefinitionRepositories;
  /** `undefined` without a mail server. */
  readonly reportMailing: ReportMailing | undefined;
}

interface KnownGoals {
  readonly goals: readonly Definition<'goal'>[];
}

/** The alerts of a website (alerts.md). */
export const ALERTS: ResourcePages<AlertPagesDependencies, OpenedWebsite & KnownGoals, Alert> = {
  type: ALERT,
  list: websitePath(':id', 'alerts'),
  limit: MAX_ALERTS,
  forms: 'list-last',
  texts: ({ alert }) => alert,
  formClass: 'alert',

  async open(deps, request) {
    const found = await openWebsite(deps, request, 'alerts');
    return { ...found, goals: await listResources(deps, GOAL, found.owner) };
  },

  notice: ({ reportMailing }, { locale }) =>
    reportMailing === undefined ? <p class="notice">{locale.words.resources.alert.noMail}</p> : undefined,
  nameOf: ({ rule }, { locale }) => locale.words.resources.alert.rules[rule],
  summarize: (_deps, { goals, locale }, alerts) =>
    alerts.map((alert) => [...detailOf(locale, alert, goals), targetsOf(locale, alert)].join(' ')),

  blank: () => ({ email: '1', webhooks: '1' }),
  controls: (_deps, { goals }, form) => <Controls {...form} goals={goals} />,
  placeFaults: (faults, fields) => faults.map((fault) => placeFault(fault, fields)),

  create: async (deps, { owner }, fields) => ({ created: await createAlert(deps, owner, parseAlert(inputOf(fields))) }),
};

function Controls({ fields, faults, goals }: ControlsProps & KnownGoals) {
  const { resources, filters } = useLocale().words;
  const { alert } = resources;
  const numberField = (name: RuleField, label: string, hint: string) => (
    <div class={`of-${name}`}>
      <TextField
        name={name}
        label={label}
        hint={hint}
        value={fields[name]}
        faults={faults}
        type="text"
        inputmode="numeric"
        maxLength={10}
      />
    </div>
  );
  return (
    <>
      <SelectField
        name="rule"
        label={alert.rule}
        value={fields.rule}
        faults={faults}
        options={ALERT_RULES.map((rule) => [rule, alert.rules[rule]])}
      />
      {numberField('visitors', alert.visitors, alert.visitorsHint)}
      {numberField('hours', alert.hours, alert.hoursHint)}
      <div class="of-goal_id">
        <SelectField
          name="goal_id"
          label={filters.goal}
          value={fields.goal_id}
          faults={faults}
          options={[
            ['', goals.length === 0 ? alert.noGoals : alert.chooseGoal],
            ...goals.map(({ id, name }) => [id, name] as const),
          ]}
        />
      </div>
      {numberField('conversions', alert.conversions, alert.conversionsHint)}
      {numberField('percent', alert.percent, alert.percentHint)}
      <fieldset class="field">
        <legend>{alert.send}</legend>
        <label class="check">
          <input type="checkbox" name="email" value="1" checked={fields.email === '1'} />
          {alert.toMail}
        </label>
        <label class="check">
          <input type="checkbox" name="webhooks" value="1" checked={fields.webhooks === '1'} />
          {alert.toWebhooks}
        </label>
        <Faults name="email" faults={faults} />
      </fieldset>
    </>
  );
}
