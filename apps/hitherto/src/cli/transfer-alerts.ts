import { type AlertItem, parseAlert } from '@hitherto/domain';
import type { Static } from '@sinclair/typebox';
import type { AlertLine } from './transfer-schema.ts';

// Alerts in the lines of an export: with the fields that the API has. The results of their last check are left out.

export function toAlertLine({ accountId, websiteId, alert }: AlertItem): Static<typeof AlertLine> {
  const { id, goalId, createdAt, updatedAt, ...settings } = alert;
  return {
    type: 'alert',
    account_id: accountId,
    website_id: websiteId,
    id,
    ...settings,
    goal_id: goalId,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** Throws `InvalidFields` if the API would reject the alert. */
export function toAlertItem(line: Static<typeof AlertLine>): AlertItem {
  const { account_id: accountId, website_id: websiteId, id, created_at, updated_at, ...input } = line;
  const times = { createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
  return { type: 'alert', accountId, websiteId, alert: { id, ...parseAlert(input), ...times } };
}
