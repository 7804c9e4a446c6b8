import {
  addressOf,
  type Fault,
  listWebsites,
  shownUrl,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  type Webhook,
  type WebhookInput,
  type WebsiteRepository,
} from '@hitherto/domain';
import { versionOf } from '../versions.ts';
import { EVENTS } from './words.ts';

/** The fields of the form as strings; a box that is not ticked is absent. */
export type WebhookValues = Readonly<Record<string, string | undefined>>;

type Websites = { readonly websites: WebsiteRepository };

/** How many websites can have an address within another one's, as the search finds them. */
const FOUND = 100;

/** The strings of a body. */
export function valuesOf(body: Readonly<Record<string, unknown>>): WebhookValues {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
}

/** The form of a stored webhook. */
export async function formOf(deps: Websites, accountId: string, webhook: Webhook): Promise<WebhookValues> {
  const addresses = [];
  for (const id of webhook.websiteIds ?? []) {
    const website = await deps.websites.find(accountId, id);
    // One that is gone is kept as its id, so that saving does not widen the webhook to all websites.
    addresses.push(website === undefined ? id : addressOf(website.url));
  }
  return {
    version: versionOf(webhook),
    url: shownUrl(webhook) ?? '',
    format: webhook.format,
    ...Object.fromEntries(webhook.events.map((event) => [event, '1'])),
    website_ids: addresses.join('\n'),
    ...(webhook.isActive ? { is_active: '1' } : {}),
  };
}

/** A stored webhook in words, from its form. */
export function describeForm(values: WebhookValues): string {
  const events = WEBHOOK_EVENTS.filter((event) => values[event] === '1').map((event) => EVENTS[event]);
  const websites = values.website_ids?.split('\n').join(', ') || 'all websites';
  const state = values.is_active === '1' ? 'turned on' : 'turned off';
  return [values.url, events.join(', '), websites, state].filter(Boolean).join('; ');
}

/** The input of a form, whose websites are named by their addresses, and the faults of these. */
export async function readWebhookForm(
  deps: Websites,
  accountId: string,
  values: WebhookValues,
  stored: Webhook | undefined,
): Promise<{ readonly input: WebhookInput; readonly faults: readonly Fault[] }> {
  const lines = (values.website_ids ?? '').split(/\r\n|\n|\r/).map((line) => line.trim());
  const faults: Fault[] = [];
  const websiteIds: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const id = stored?.websiteIds?.includes(line) ? line : await findByAddress(deps, accountId, line);
    if (id !== undefined) websiteIds.push(id);
    const detail = `Line ${index + 1} is not the address of a website of this account.`;
    if (id === undefined) faults.push({ field: 'website_ids', code: 'unknown_website', line: index + 1, detail });
  }
  const input: WebhookInput = {
    url: stored !== undefined && values.url === '' ? undefined : values.url,
    format: WEBHOOK_FORMATS.find((format) => format === values.format),
    events: WEBHOOK_EVENTS.filter((event) => values[event] === '1'),
    website_ids: websiteIds.length === 0 ? null : websiteIds,
    ...(stored === undefined ? {} : { is_active: values.is_active === '1' }),
  };
  return { input, faults };
}

async function findByAddress(deps: Websites, accountId: string, line: string): Promise<string | undefined> {
  const address = line
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '')
    .toLowerCase();
  const filter = { search: address, order: 'address_asc' } as const;
  const { websites } = await listWebsites(deps, accountId, filter, FOUND);
  return websites.find(({ url }) => addressOf(url).toLowerCase() === address)?.id;
}
