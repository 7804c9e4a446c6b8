import type { Alert } from '@hitherto/domain/alerts';
import type { Definition } from '@hitherto/domain/definitions';
import type { Locale } from '@hitherto/words';

/** The numbers of an alert's rule, in sentences. */
export function detailOf(
  { words, format }: Locale,
  { rule, threshold, hours, percent, goalId }: Alert,
  goals: readonly Definition<'goal'>[],
): readonly string[] {
  const { alert } = words.resources;
  if (rule === 'spike') return threshold === null ? [] : [alert.fromVisitors(threshold)];
  if (rule === 'silence') return hours === null ? [] : [alert.forHours(hours)];
  if (rule === 'dropped') return percent === null ? [] : [`${format.share(percent / 100)}.`];
  if (rule !== 'goal') return [];
  const goal = goals.find(({ id }) => id === goalId);
  return [goal === undefined ? alert.goalDeleted : `${goal.name}: ${threshold}.`];
}

/** Where an alert is sent. */
export function targetsOf({ words }: Locale, { email, webhooks }: Alert): string {
  const { alert } = words.resources;
  if (email && webhooks) return alert.byBoth;
  return email ? alert.byMail : alert.byWebhooks;
}
