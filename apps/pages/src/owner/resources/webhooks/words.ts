import type { Delivery, WebhookEventType, WebhookFormat } from '@hitherto/domain/webhooks';

export const FORMATS: Readonly<Record<WebhookFormat, string>> = {
  json: 'JSON, signed',
  slack: 'Slack',
  discord: 'Discord',
  mattermost: 'Mattermost',
  telegram: 'Telegram',
};

export const EVENTS: Readonly<Record<WebhookEventType, string>> = {
  'website.created': 'A website was created',
  'website.updated': 'A website was changed',
  'website.deleted': 'A website was deleted',
  'alert.fired': 'An alert fired',
  'report.ready': 'A report is ready',
  'import.finished': 'An import has finished',
  'finding.opened': 'A check has found something',
};

export const STATES: Readonly<Record<Delivery['state'], string>> = {
  pending: 'waits',
  delivered: 'delivered',
  failed: 'failed',
};

/** The subject of a delivery. */
export function nameOfEvent(type: Delivery['event']['type']): string {
  if (type === 'webhook.test') return 'A test';
  return type === 'webhook.disabled' ? 'The webhook was turned off' : EVENTS[type];
}
