import type { FiredAlert } from '../alerts/fired-alert.ts';
import type { AuditChange } from '../audit/entry.ts';
import type { Week } from '../reports/week.ts';
import type { Import } from '../statistics/imports/import.ts';
import type { Website } from '../website/website.ts';

/** The events that a webhook can ask for (webhooks.md). */
export const WEBHOOK_EVENTS = [
  'website.created',
  'website.updated',
  'website.deleted',
  'alert.fired',
  'report.ready',
  'import.finished',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** The website of an event. */
export type NamedWebsite = Pick<Website, 'id' | 'url'>;

/** A website without the hash of its password, as it is stored with an event: instants are ISO 8601. */
export interface WebsiteState extends Omit<Website, 'passwordHash' | 'createdAt' | 'updatedAt'> {
  readonly hasPassword: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The website after a change, or before it was deleted. */
export interface ChangedWebsite {
  readonly website: WebsiteState;
  readonly changes: readonly AuditChange[];
}

/** An import that has ended, as it is stored with an event, without the hash of its file: instants are ISO 8601. */
export interface EndedImport extends Omit<Import, 'websiteId' | 'sha256' | 'createdAt'> {
  readonly createdAt: string;
}

/** The content of an event, by its type: plain JSON in the domain's words, without any password, hash or key. */
export interface WebhookEventData {
  readonly 'website.created': ChangedWebsite;
  readonly 'website.updated': ChangedWebsite;
  readonly 'website.deleted': ChangedWebsite;
  readonly 'alert.fired': { readonly website: NamedWebsite; readonly alert: FiredAlert };
  readonly 'report.ready': { readonly website: NamedWebsite; readonly week: Week };
  readonly 'import.finished': { readonly website: NamedWebsite; readonly import: EndedImport };
  /** A test that somebody asked for; no webhook asks for it as an event. */
  readonly 'webhook.test': { readonly message: string };
  /** The webhook was turned off after failures; goes to the account by mail. */
  readonly 'webhook.disabled': { readonly since: string; readonly reason: string };
}

/** An event as a delivery carries it. */
export type WebhookEvent<Type extends keyof WebhookEventData = keyof WebhookEventData> = {
  readonly [Each in Type]: { readonly type: Each; readonly at: Date; readonly data: WebhookEventData[Each] };
}[Type];

/** An event of a website, for the webhooks of its account that ask for it. */
export type EventOfWebsite<Type extends WebhookEventType = WebhookEventType> = WebhookEvent<Type> & {
  readonly accountId: string;
  readonly websiteId: string;
};
