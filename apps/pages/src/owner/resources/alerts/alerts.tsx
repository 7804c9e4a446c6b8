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
import { websitePath } from '../../../shared/paths.ts';
import { Faults, SelectField, TextField } from '../../field.tsx';
import { type OpenedWebsite, openWebsite } from '../opened.tsx';
import type { ControlsProps, ResourcePages } from '../resource-pages.ts';
import { inputOf, placeFault, type RuleField } from './alert-form.ts';
import { detailOf, RULES, targetsOf } from './words.ts';

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
  purpose: 'An alert notifies you by mail, by webhook, or both when the numbers are unusual or a goal is reached.',
  add: 'Add an alert',
  submit: 'Add the alert',
  formClass: 'alert',

  async open(deps, request) {
    const found = await openWebsite(deps, request, 'alerts');
    return { ...found, goals: await listResources(deps, GOAL, found.owner) };
  },

  notice: ({ reportMailing }) =>
    reportMailing === undefined ? (
      <p class="notice">This installation sends no mail: alerts go to webhooks only.</p>
    ) : undefined,
  nameOf: ({ rule }) => RULES[rule],
  summarize: (_deps, { goals }, alerts) => alerts.map((alert) => `${detailOf(alert, goals)}${targetsOf(alert)}`),

  blank: () => ({ email: '1', webhooks: '1' }),
  controls: (_deps, { goals }, form) => <Controls {...form} goals={goals} />,
  placeFaults: (faults, fields) => faults.map((fault) => placeFault(fault, fields)),

  create: async (deps, { owner }, fields) => ({ created: await createAlert(deps, owner, parseAlert(inputOf(fields))) }),
};

function Controls({ fields, faults, goals }: ControlsProps & KnownGoals) {
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
        label="Rule"
        value={fields.rule}
        faults={faults}
        options={ALERT_RULES.map((rule) => [rule, RULES[rule]])}
      />
      {numberField('visitors', 'Current visitors', 'From how many on; empty to compare with the past')}
      {numberField('hours', 'Hours', 'Without a hit: 1 to 168')}
      <div class="of-goal_id">
        <SelectField
          name="goal_id"
          label="Goal"
          value={fields.goal_id}
          faults={faults}
          options={[
            ['', goals.length === 0 ? 'This website has no goals yet' : 'Choose a goal'],
            ...goals.map(({ id, name }) => [id, name] as const),
          ]}
        />
      </div>
      {numberField('conversions', 'Conversions', 'How many on one day')}
      {numberField('percent', 'Percent', 'Of the hits of the last hour: 1 to 99')}
      <fieldset class="field">
        <legend>Send it</legend>
        <label class="check">
          <input type="checkbox" name="email" value="1" checked={fields.email === '1'} />
          to the e-mail address of the account
        </label>
        <label class="check">
          <input type="checkbox" name="webhooks" value="1" checked={fields.webhooks === '1'} />
          to webhooks that ask for alerts
        </label>
        <Faults name="email" faults={faults} />
      </fieldset>
    </>
  );
}
