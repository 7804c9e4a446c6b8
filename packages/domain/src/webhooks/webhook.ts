import { isDeepStrictEqual } from 'node:util';
import { covers, type KeyScope } from '../access/api-key.ts';
import { DomainError, type Fault, InvalidFields, inWords } from '../base/errors.ts';
import { readUrl } from '../base/url.ts';
import { nextVersion } from '../base/versions.ts';
import { WEBHOOK_EVENTS, type WebhookEventType } from './event.ts';

/** `json` is signed as Standard Webhooks specify; the other formats are messages for chat services. */
export const WEBHOOK_FORMATS = ['json', 'slack', 'discord', 'mattermost', 'telegram'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** The most webhooks of an account. */
export const MAX_WEBHOOKS = 20;
/** The most websites that a webhook names. */
export const MAX_WEBHOOK_WEBSITES = 100;
/** The most bytes of the URL of a webhook, as it is given and in normal form. */
export const MAX_WEBHOOK_URL_BYTES = 2_048;
const SECRET_BYTES = 32;

/** An address of an account to which events are sent. */
export interface Webhook {
  /** UUIDv7. */
  readonly id: string;
  /** `null` if it was encrypted with a key that this installation no longer has. */
  readonly url: string | null;
  readonly format: WebhookFormat;
  /** In the order of {@link WEBHOOK_EVENTS}. */
  readonly events: readonly WebhookEventType[];
  /** The websites whose events are sent; `null` for all of the account. */
  readonly websiteIds: readonly string[] | null;
  /** `whsec_…`; `null` where messages are not signed, and as in `url`. */
  readonly secret: string | null;
  readonly isActive: boolean;
  /** The first failure since the last success, since the webhook was turned on, or since its URL was set. */
  readonly failingSince: Date | null;
  readonly createdAt: Date;
  /** Strictly later with every change of the settings, to the millisecond. */
  readonly updatedAt: Date;
}

/** Unchecked input, with the names of the API. An absent field sets nothing. */
export interface WebhookInput {
  readonly url?: string | undefined;
  readonly format?: WebhookFormat | undefined;
  readonly events?: readonly WebhookEventType[] | undefined;
  readonly website_ids?: readonly string[] | null | undefined;
  readonly is_active?: boolean | undefined;
}

/** The settings of a webhook. */
export type WebhookSettings = Pick<Webhook, 'format' | 'events' | 'websiteIds' | 'isActive'> & { readonly url: string };

/** Changes to a webhook that passed all rules which need no stored state. The URL is as sent: it may be the one that is shown. */
export type WebhookChanges = { readonly [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined };

/** Checks the input for a new webhook. Throws `InvalidFields` with every fault. */
export function parseNewWebhook(input: WebhookInput): WebhookSettings {
  const { url, format = 'json', events, website_ids: websiteIds = null, is_active: isActive = true } = input;
  const faults = [...urlFaults(url), ...listFaults(input)];
  if (url !== undefined && faults.every(({ field }) => field !== 'url')) faults.push(...chatFaults(url, format));
  if (events === undefined) faults.push({ field: 'events', code: 'required', ...EVENTS_TEXT });
  if (faults.length > 0 || url === undefined || events === undefined) throw new InvalidFields(faults);
  return { url: new URL(url).href, format, events: inOrder(events), websiteIds: withoutRepeats(websiteIds), isActive };
}

/** Checks changes to a webhook; whether they fit its format is checked later. Throws `InvalidFields` with every fault. */
export function parseWebhookChanges(input: WebhookInput): WebhookChanges {
  const { url, format, events, website_ids: websiteIds, is_active: isActive } = input;
  const faults = [...(url === undefined ? [] : urlFaults(url)), ...listFaults(input)];
  if (faults.length > 0) throw new InvalidFields(faults);
  return {
    url,
    format,
    events: events && inOrder(events),
    websiteIds: websiteIds && withoutRepeats(websiteIds),
    isActive,
  };
}

/** A new webhook. */
export function makeWebhook(
  settings: WebhookSettings,
  id: string,
  now: Date,
  randomBytes: (size: number) => Uint8Array,
): Webhook {
  const secret = `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`;
  return {
    id,
    ...settings,
    secret: settings.format === 'json' ? secret : null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * The webhook with the changes; itself if they change nothing. A sent URL that is the shown one changes nothing.
 *
 * @throws InvalidFields with every fault; `format` cannot change, because it decides how secret the URL is
 */
export function changeWebhook(webhook: Webhook, changes: WebhookChanges, now: Date): Webhook {
  const { format } = webhook;
  const isShown = changes.url === shownUrl(webhook, 'write') || changes.url === shownUrl(webhook, 'read');
  const url = isShown ? undefined : changes.url;
  const faults = url === undefined ? [] : chatFaults(url, format);
  if (changes.format !== undefined && changes.format !== format) {
    const detail = 'The format cannot be changed. Create another webhook.';
    faults.push({ field: 'format', code: 'not_allowed', detail });
  }
  if (faults.length > 0) throw new InvalidFields(faults);
  const { events = webhook.events, websiteIds = webhook.websiteIds, isActive = webhook.isActive } = changes;
  const newUrl = url === undefined ? webhook.url : new URL(url).href;
  const changed = { ...webhook, events, websiteIds, isActive, url: newUrl };
  if (isDeepStrictEqual(changed, webhook)) return webhook;
  const startsOver = changed.url !== webhook.url || (isActive && !webhook.isActive);
  const failingSince = startsOver ? null : webhook.failingSince;
  return { ...changed, failingSince, updatedAt: nextVersion(webhook, now) };
}

/**
 * The URL as it is shown to a key of this scope. For a chat service it is only the origin, because anyone with the URL can write
 * there; for a key that must not write it is only the origin for any service.
 */
export function shownUrl({ url, format }: Pick<Webhook, 'url' | 'format'>, scope: KeyScope): string | null {
  if (url === null || (format === 'json' && covers(scope, 'write'))) return url;
  return `${new URL(url).origin}/…`;
}

/** Where a webhook goes, for people. */
export function webhookHost({ url }: Pick<Webhook, 'url'>): string | null {
  return url === null ? null : new URL(url).host;
}

/** The account has no such webhook. */
export function webhookNotFound(): DomainError {
  return new DomainError('not_found', 'There is no such webhook.');
}

/** The account has as many webhooks as it may have. */
export function tooManyWebhooks(): DomainError {
  return new DomainError('too_many_webhooks', `An account has at most ${MAX_WEBHOOKS} webhooks. Delete one first.`, {
    saying: ({ faults }) => faults.full(MAX_WEBHOOKS),
  });
}

const EVENTS_TEXT = inWords(
  ({ resources }) => resources.webhook.noEvent,
  `Must be a list of at least one of ${WEBHOOK_EVENTS.join(', ')}.`,
);

function urlFaults(url: string | undefined): Fault[] {
  const text = inWords(({ faults }) => faults.webhooks.url(MAX_WEBHOOK_URL_BYTES));
  const fault = (code: Fault['code']) => [{ field: 'url', code, ...text }];
  if (url === undefined || url === '') return fault('required');
  if (Buffer.byteLength(url) > MAX_WEBHOOK_URL_BYTES) return fault('too_long');
  const read = /^https?:\/\//i.test(url) && !/[\s\p{Cc}\p{Cs}\\]/u.test(url) ? readUrl(url) : undefined;
  if (read === undefined || read.username || read.password || read.hash || read.href.length > MAX_WEBHOOK_URL_BYTES) {
    return fault('invalid_url');
  }
  return [];
}

/** The faults that a URL has for the service that its format belongs to. */
function chatFaults(url: string, format: WebhookFormat): Fault[] {
  if (format !== 'telegram' || new URL(url).searchParams.get('chat_id')) return [];
  return [{ field: 'url', code: 'invalid_url', ...inWords(({ faults }) => faults.webhooks.chat) }];
}

function listFaults({ events, website_ids: websiteIds }: WebhookInput): Fault[] {
  const faults: Fault[] = [];
  if (events?.length === 0) faults.push({ field: 'events', code: 'required', ...EVENTS_TEXT });
  if (websiteIds?.length === 0) {
    const detail = 'Name at least one website, or send null for all.';
    faults.push({ field: 'website_ids', code: 'required', detail });
  }
  if ((websiteIds?.length ?? 0) > MAX_WEBHOOK_WEBSITES) {
    const detail = `Name at most ${MAX_WEBHOOK_WEBSITES} websites, or send null for all.`;
    const text = inWords((words) => words.faults.webhooks.websites(MAX_WEBHOOK_WEBSITES), detail);
    faults.push({ field: 'website_ids', code: 'too_many', ...text });
  }
  return faults;
}

function inOrder(events: readonly WebhookEventType[]): WebhookEventType[] {
  return WEBHOOK_EVENTS.filter((event) => events.includes(event));
}

function withoutRepeats(ids: readonly string[] | null): string[] | null {
  return ids === null ? null : [...new Set(ids.map((id) => id.toLowerCase()))];
}
