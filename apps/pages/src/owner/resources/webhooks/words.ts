import type { Delivery } from '@hitherto/domain/webhooks';
import type { Locale } from '@hitherto/words';

/** The subject of a delivery. */
export function nameOfEvent({ words }: Locale, type: Delivery['event']['type']): string {
  const { webhook } = words.resources;
  if (type === 'webhook.test') return webhook.test;
  return type === 'webhook.disabled' ? webhook.disabled : webhook.events[type];
}
