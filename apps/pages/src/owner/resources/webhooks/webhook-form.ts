import type { Fault } from '@hitherto/domain/base';
import {
  type AccountKey,
  shownUrl,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  type Webhook,
  type WebhookInput,
} from '@hitherto/domain/webhooks';
import {
  addressOf,
  readWebsiteUrl,
  type WebsiteDirectory,
  type WebsiteRepository,
  wholeAccount,
} from '@hitherto/domain/websites';
import type { Locale } from '@hitherto/words';
import type { Opened } from '../opened.tsx';
import type { FormFields } from '../resource-pages.ts';

type Websites = { readonly websites: Pick<WebsiteRepository, 'find'> };
type Directory = { readonly directory: Pick<WebsiteDirectory, 'findByAddress'> };

/** The form of a stored webhook. Only people who may write see all of its URL. */
export async function formOf(
  deps: Websites,
  { owner: { accountId }, canWrite }: Opened,
  webhook: Webhook,
): Promise<FormFields> {
  const addresses = [];
  for (const id of webhook.websiteIds ?? []) {
    const website = await deps.websites.find(wholeAccount(accountId), id);
    // One that is gone is kept as its id, so that saving does not widen the webhook to all websites.
    addresses.push(website === undefined ? id : addressOf(website.url));
  }
  // All of its websites were moved away: a line that is no address, for the same reason.
  if (webhook.websiteIds?.length === 0) addresses.push('none');
  return {
    url: shownUrl(webhook, canWrite ? 'write' : 'read') ?? '',
    format: webhook.format,
    ...Object.fromEntries(webhook.events.map((event) => [event, '1'])),
    website_ids: addresses.join('\n'),
    ...(webhook.isActive ? { is_active: '1' } : {}),
  };
}

/** A stored webhook in words, from its form. */
export function describeForm({ words }: Locale, values: FormFields): string {
  const { webhook } = words.resources;
  const events = WEBHOOK_EVENTS.filter((event) => values[event] === '1').map((event) => webhook.events[event]);
  const websites = values.website_ids?.split('\n').join(', ') || webhook.allWebsites;
  const state = values.is_active === '1' ? webhook.turnedOn : webhook.turnedOff;
  return [values.url, events.join(', '), websites, state].filter(Boolean).join('; ');
}

/** The input of a form, whose websites are named by their addresses, and the faults of these. */
export async function readWebhookForm(
  deps: Directory,
  { owner: { accountId }, locale }: Opened<AccountKey>,
  values: FormFields,
  stored: Webhook | undefined,
): Promise<{ readonly input: WebhookInput; readonly faults: readonly Fault[] }> {
  const lines = (values.website_ids ?? '').split(/\r\n|\n|\r/).map((line) => line.trim());
  const faults: Fault[] = [];
  const websiteIds: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const id = stored?.websiteIds?.includes(line) ? line : await findByAddress(deps, accountId, line);
    if (id !== undefined) websiteIds.push(id);
    const detail = locale.words.resources.webhook.unknownWebsite(index + 1);
    if (id === undefined) faults.push({ field: 'website_ids', code: 'unknown_website', line: index + 1, detail });
  }
  // Of a stored webhook, nothing keeps the URL. The beginning of one that is gone is not the URL of a new one.
  const url = stored === undefined && values.url?.endsWith('/…') ? '' : values.url;
  const input: WebhookInput = {
    url: url === '' ? undefined : url,
    format: WEBHOOK_FORMATS.find((format) => format === values.format),
    events: WEBHOOK_EVENTS.filter((event) => values[event] === '1'),
    website_ids: websiteIds.length === 0 ? null : websiteIds,
    ...(stored === undefined ? {} : { is_active: values.is_active === '1' }),
  };
  return { input, faults };
}

/** The website at an address, with or without its scheme, as it is stored or as people write it. */
async function findByAddress({ directory }: Directory, accountId: string, line: string): Promise<string | undefined> {
  // The shorter scheme: with it, the longest address is still a url.
  const typed = /^https?:\/\//i.test(line) ? line : `http://${line}`;
  const read = readWebsiteUrl(typed);
  if (!('url' in read)) return undefined;
  // Without a scheme, port 80 is part of the address, or the default one, which reading drops.
  for (const address of new Set([addressOf(typed), addressOf(read.url)])) {
    const [found] = await directory.findByAddress(address, wholeAccount(accountId));
    if (found !== undefined) return found.website.id;
  }
  return undefined;
}
