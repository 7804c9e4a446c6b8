import { ALERT_RULES, type Alert, MAX_ALERTS } from '@hitherto/domain/alerts';
import type { Fault } from '@hitherto/domain/base';
import type { Definition } from '@hitherto/domain/definitions';
import { websitePath } from '../../shared/paths.ts';
import { describedBy, Faults, Field } from '../field.tsx';
import type { AlertValues, RuleField } from './alert-form.ts';
import { RULES } from './words.ts';

interface AlertsPageProps {
  readonly websiteId: string;
  readonly alerts: readonly Alert[];
  readonly goals: readonly Definition<'goal'>[];
  readonly values: AlertValues;
  readonly faults: readonly Fault[];
  readonly canWrite: boolean;
  /** Whether the installation can send mails. */
  readonly sendsMails: boolean;
}

/** The alerts of a website, and the form for a new one. */
export function AlertsPage(props: AlertsPageProps) {
  const { websiteId, alerts, goals, canWrite, sendsMails } = props;
  return (
    <>
      <p>An alert notifies you by mail, by webhook, or both when the numbers are unusual or a goal is reached.</p>
      {!sendsMails && <p class="notice">This installation sends no mail: alerts go to webhooks only.</p>}
      {alerts.length > 0 && (
        <ul class="card definitions">
          {alerts.map((alert) => (
            <li key={alert.id}>
              <div>
                <strong>{RULES[alert.rule]}</strong>
                <p class="hint">
                  {detailOf(alert, goals)}
                  {targetsOf(alert)}
                </p>
              </div>
              {canWrite && (
                <form class="buttons" method="post" action={`${websitePath(websiteId, 'alerts')}/delete`}>
                  <input type="hidden" name="alert" value={alert.id} />
                  <button class="plain" type="submit" aria-label={`Delete ${RULES[alert.rule]}`}>
                    Delete
                  </button>
                </form>
              )}
            </li>
          ))}
        </ul>
      )}
      {alerts.length >= MAX_ALERTS && <p>These are all {MAX_ALERTS} alerts that a website can have.</p>}
      {canWrite && alerts.length < MAX_ALERTS && <AlertForm {...props} />}
    </>
  );
}

function AlertForm({ websiteId, goals, values, faults }: AlertsPageProps) {
  const numberField = (name: RuleField, label: string, hint: string) => (
    <div class={`of-${name}`}>
      <Field name={name} label={label} hint={hint} faults={faults}>
        <input
          id={name}
          name={name}
          type="text"
          inputmode="numeric"
          maxLength={10}
          value={values[name]}
          {...describedBy(name, faults)}
        />
      </Field>
    </div>
  );
  return (
    <form class="settings alert" method="post" action={websitePath(websiteId, 'alerts')}>
      <h2>Add an alert</h2>
      {faults.length > 0 && (
        <p class="fault" role="alert">
          Nothing was saved: {faults.length === 1 ? 'one field is' : 'some fields are'} not valid.
        </p>
      )}
      <Field name="rule" label="Rule" faults={faults}>
        <select id="rule" name="rule" {...describedBy('rule', faults, false)}>
          {ALERT_RULES.map((rule) => (
            <option key={rule} value={rule} selected={rule === values.rule}>
              {RULES[rule]}
            </option>
          ))}
        </select>
      </Field>
      {numberField('visitors', 'Current visitors', 'From how many on; empty to compare with the past')}
      {numberField('hours', 'Hours', 'Without a hit: 1 to 168')}
      <div class="of-goal_id">
        <Field name="goal_id" label="Goal" faults={faults}>
          <select id="goal_id" name="goal_id" {...describedBy('goal_id', faults, false)}>
            <option value="">{goals.length === 0 ? 'This website has no goals yet' : 'Choose a goal'}</option>
            {goals.map(({ id, name }) => (
              <option key={id} value={id} selected={id === values.goal_id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {numberField('conversions', 'Conversions', 'How many on one day')}
      {numberField('percent', 'Percent', 'Of the hits of the last hour: 1 to 99')}
      <fieldset class="field">
        <legend>Send it</legend>
        <label class="check">
          <input type="checkbox" name="email" value="1" checked={values.email === '1'} />
          to the e-mail address of the account
        </label>
        <label class="check">
          <input type="checkbox" name="webhooks" value="1" checked={values.webhooks === '1'} />
          to webhooks that ask for alerts
        </label>
        <Faults name="email" faults={faults} />
      </fieldset>
      <button type="submit">Add the alert</button>
    </form>
  );
}

function detailOf({ rule, threshold, hours, percent, goalId }: Alert, goals: AlertsPageProps['goals']): string {
  if (rule === 'spike')
    return threshold === null ? '' : `From ${threshold} current ${threshold === 1 ? 'visitor' : 'visitors'} on. `;
  if (rule === 'silence') return `${hours} ${hours === 1 ? 'hour' : 'hours'}. `;
  if (rule === 'dropped') return `${percent} %. `;
  if (rule !== 'goal') return '';
  const goal = goals.find(({ id }) => id === goalId);
  return goal === undefined ? 'The goal was deleted. ' : `${goal.name}: ${threshold}. `;
}

function targetsOf({ email, webhooks }: Alert): string {
  if (email && webhooks) return 'By mail and webhooks';
  return email ? 'By mail' : 'By webhooks';
}
