import type { Alert, AlertRule } from '@hitherto/domain/alerts';
import type { Definition } from '@hitherto/domain/definitions';

export const RULES: Readonly<Record<AlertRule, string>> = {
  spike: 'Spike: far more current visitors than usual',
  drop: 'Drop: far fewer visitors today than usual',
  silence: 'Silence: no hit for some hours',
  goal: 'Goal: its conversions of the day reach a number',
  dropped: 'Hits not counted: more than a share of the last hour',
};

/** The numbers of an alert's rule, as a sentence with a space after it; empty if it has none. */
export function detailOf(
  { rule, threshold, hours, percent, goalId }: Alert,
  goals: readonly Definition<'goal'>[],
): string {
  if (rule === 'spike')
    return threshold === null ? '' : `From ${threshold} current ${threshold === 1 ? 'visitor' : 'visitors'} on. `;
  if (rule === 'silence') return `${hours} ${hours === 1 ? 'hour' : 'hours'}. `;
  if (rule === 'dropped') return `${percent} %. `;
  if (rule !== 'goal') return '';
  const goal = goals.find(({ id }) => id === goalId);
  return goal === undefined ? 'The goal was deleted. ' : `${goal.name}: ${threshold}. `;
}

/** Where an alert is sent. */
export function targetsOf({ email, webhooks }: Alert): string {
  if (email && webhooks) return 'By mail and webhooks';
  return email ? 'By mail' : 'By webhooks';
}
