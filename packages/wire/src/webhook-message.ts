import { chatTextOf } from '@hitherto/domain/alerts';
import { printable } from '@hitherto/domain/format';
import type { WebhookEvent, WebhookEventData, WebhookFormat, WebhookMessage } from '@hitherto/domain/webhooks';
import type { ChangedWebsite } from '@hitherto/domain/websites';
import { snakeCase, writeChanges } from './audit-changes.ts';
import { CHATS } from './chats.ts';
import { writeSettings } from './website-fields.ts';

/** An event as the receiver of a webhook gets it: where it goes, and the body. */
export function writeWebhookMessage(
  event: WebhookEvent,
  format: WebhookFormat,
  url: string,
): Pick<WebhookMessage, 'url' | 'body'> {
  if (format === 'json') return { url, body: JSON.stringify(writeEvent(event)) };
  const chat = CHATS[format];
  return chat.write(
    textOf(event, (text) => chat.show(printable(text))),
    url,
  );
}

/** The payload of an event, in the words of the API. */
function writeEvent({ type, at, data }: WebhookEvent): object {
  return { type, timestamp: at.toISOString(), data: 'changes' in data ? writeChanged(type, data) : writeOther(data) };
}

function writeOther(data: WebhookEvent['data']): unknown {
  // The names of filters are already those of the API, and those of properties are strings from outside.
  if ('cleanup' in data) return data;
  // An import that has ended never waits, so events are stored without this field.
  return inSnakeCase('import' in data ? { ...data, import: { ...data.import, waits: false } } : data);
}

function writeChanged(action: WebhookEvent['type'], { website, changes }: ChangedWebsite): object {
  return {
    website: {
      id: website.id,
      url: website.url,
      ...writeSettings(website),
      has_password: website.hasPassword,
      created_at: website.createdAt,
      updated_at: website.updatedAt,
    },
    changes: writeChanges({ action, changes }),
  };
}

/** Plain JSON with the field names of the API. */
export function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeCase(name), inSnakeCase(each)]));
}

/**
 * An event in a sentence, for chats.
 *
 * @param show how a string from outside is written, so that it is shown as it is
 */
function textOf(event: WebhookEvent, show: (text: string) => string): string {
  switch (event.type) {
    case 'website.created':
      return `The website ${event.data.website.url} was created.`;
    case 'website.updated': {
      const fields = writeChanges({ action: event.type, changes: event.data.changes }).map(({ field }) => field);
      return `The website ${event.data.website.url} was changed: ${fields.join(', ')}.`;
    }
    case 'website.deleted':
      return `The website ${event.data.website.url} was deleted.`;
    case 'report.ready': {
      const { from, to } = 'week' in event.data ? event.data.week : event.data.month;
      return `The report of ${event.data.website.url} about ${from} to ${to} is ready.`;
    }
    case 'alert.fired':
      return chatTextOf(event.data.alert, show);
    case 'import.finished':
      return textOfImport(event.data, show);
    case 'finding.opened':
      return `On ${event.data.website.url}: ${show(event.data.finding.text)}`;
    case 'cleanup.created':
    case 'cleanup.deleted':
    case 'cleanup.erased':
      return `${CLEANUP_SENTENCES[event.type]} ${event.data.website.url}: ${show(event.data.cleanup.name)}`;
    case 'webhook.test':
      return event.data.message;
    case 'webhook.disabled':
      return 'The webhook was turned off.';
  }
}

const CLEANUP_SENTENCES = {
  'cleanup.created': 'A cleanup hides visits of',
  'cleanup.deleted': 'A cleanup was undone on',
  'cleanup.erased': 'Hidden hits were deleted for good on',
} as const;

function textOfImport(
  { website, import: ended }: WebhookEventData['import.finished'],
  show: (text: string) => string,
): string {
  const { problem, hits } = ended;
  // The detail may quote the file.
  if (problem !== null) return `Import into ${website.url} failed. ${show(problem.detail)}`;
  return `Import into ${website.url} finished: ${hits.toLocaleString('en')} hits.`;
}
