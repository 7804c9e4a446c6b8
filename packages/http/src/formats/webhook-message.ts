import type {
  ChangedWebsite,
  FiredAlert,
  FiredValue,
  WebhookEvent,
  WebhookEventData,
  WebhookFormat,
  WebhookMessage,
} from '@hitherto/domain';
import { snakeCase, writeChanges } from './audit-changes.ts';
import { writeSettings } from './website-fields.ts';

const MAX_DISCORD_LENGTH = 2_000;
const MAX_TELEGRAM_LENGTH = 4_096;

/** An event as the receiver of a webhook gets it: where it goes, and the body. */
export function writeWebhookMessage(
  event: WebhookEvent,
  format: WebhookFormat,
  url: string,
): Pick<WebhookMessage, 'url' | 'body'> {
  if (format === 'json') return { url, body: JSON.stringify(writeEvent(event)) };
  const text = textOf(event);
  switch (format) {
    case 'slack':
      return { url, body: JSON.stringify({ text: escapeForSlack(text) }) };
    case 'mattermost':
      return { url, body: JSON.stringify({ text: withoutMentions(text) }) };
    case 'discord':
      return {
        url,
        body: JSON.stringify({ content: cut(text, MAX_DISCORD_LENGTH), allowed_mentions: { parse: [] } }),
      };
    case 'telegram': {
      const target = new URL(url);
      const chatId = target.searchParams.get('chat_id');
      target.searchParams.delete('chat_id');
      return { url: target.href, body: JSON.stringify({ chat_id: chatId, text: cut(text, MAX_TELEGRAM_LENGTH) }) };
    }
  }
}

/** The payload of an event, in the words of the API. */
function writeEvent({ type, at, data }: WebhookEvent): object {
  return { type, timestamp: at.toISOString(), data: 'changes' in data ? writeChanged(type, data) : writeOther(data) };
}

function writeOther(data: WebhookEvent['data']): unknown {
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
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeCase(name), inSnakeCase(each)]));
}

/** An event in a sentence, for chats. */
function textOf(event: WebhookEvent): string {
  switch (event.type) {
    case 'website.created':
      return `The website ${event.data.website.url} was created.`;
    case 'website.updated': {
      const fields = writeChanges({ action: event.type, changes: event.data.changes }).map(({ field }) => field);
      return `The website ${event.data.website.url} was changed: ${fields.join(', ')}.`;
    }
    case 'website.deleted':
      return `The website ${event.data.website.url} was deleted.`;
    case 'report.ready':
      return `The report of ${event.data.website.url} about ${event.data.week.from} to ${event.data.week.to} is ready.`;
    case 'alert.fired':
      return textOfAlert(event.data.alert);
    case 'import.finished':
      return textOfImport(event.data);
    case 'webhook.test':
      return event.data.message;
    case 'webhook.disabled':
      return 'The webhook was turned off.';
  }
}

function textOfImport({ website, import: ended }: WebhookEventData['import.finished']): string {
  const { problem, hits } = ended;
  if (problem !== null) return `An import to ${website.url} has failed. ${problem.detail}`;
  return `An import to ${website.url} has finished: ${hits.toLocaleString('en')} hits.`;
}

function textOfAlert({ text, sources, pages, pageUrl }: FiredAlert): string {
  const listOf = (title: string, values: readonly FiredValue[], none: string) => {
    const items = values.map(({ value, visitors }) => `${value ?? none} (${visitors})`);
    return items.length === 0 ? [] : [`${title}: ${items.join(', ')}`];
  };
  const lists = [...listOf('Top sources', sources, 'Direct'), ...listOf('Top pages', pages, 'None')];
  return [text, ...lists, ...(pageUrl === null ? [] : [pageUrl])].join('\n');
}

/** Slack reads `<…>` as links and mentions. */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Mattermost reads `@here`, and like Slack `<!here>`, as mentions. */
function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b').replaceAll('<!', '<\u200b!');
}

/** Cuts in front of a character that does not fit whole. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
