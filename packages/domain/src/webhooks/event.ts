import type { AlertEvent } from '../alerts/fired-alert.ts';
import type { StoredText } from '../base/stored-text.ts';
import type { Period } from '../calendar/days.ts';
import type { Event } from '../changes/event.ts';
import type { FindingEvent } from '../checks/finding.ts';
import type { ImportEvent } from '../imports/import-event.ts';
import type { ResourceEvent } from '../resources/resource-event.ts';
import type { ChangedWebsite, NamedWebsite, WebsiteEvent } from '../websites/website-event.ts';

/** The events that a webhook can ask for (webhooks.md). */
export const WEBHOOK_EVENTS = [
  'website.created',
  'website.updated',
  'website.deleted',
  'alert.fired',
  'report.ready',
  'import.finished',
  'finding.opened',
  'cleanup.created',
  'cleanup.deleted',
  'cleanup.erased',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** The days of a report. */
interface NamedPeriod extends Period {
  readonly name: string;
}

/** The report of a week or a month is about to be sent. */
type ReportEvent = Event<
  'report.ready',
  { readonly website: NamedWebsite } & ({ readonly week: NamedPeriod } | { readonly month: NamedPeriod })
>;

/** The content of an event, by its type. */
export interface WebhookEventData {
  readonly 'website.created': ChangedWebsite;
  readonly 'website.updated': ChangedWebsite;
  readonly 'website.deleted': ChangedWebsite;
  readonly 'alert.fired': AlertEvent['data'];
  readonly 'report.ready': ReportEvent['data'];
  readonly 'import.finished': ImportEvent['data'];
  readonly 'finding.opened': FindingEvent['data'];
  readonly 'cleanup.created': ResourceEvent['data'];
  readonly 'cleanup.deleted': ResourceEvent['data'];
  readonly 'cleanup.erased': ResourceEvent['data'];
  /** A test that somebody asked for; no webhook asks for it as an event. */
  readonly 'webhook.test': { readonly message: string };
  /** The webhook was turned off after failures; goes to the account by mail. */
  readonly 'webhook.disabled': {
    readonly since: string;
    /** In English. */
    readonly reason: string;
    /** The reason as mails tell it; absent of events of earlier versions. */
    readonly text?: StoredText;
  };
}

/** An event as a delivery carries it. */
export type WebhookEvent<Type extends keyof WebhookEventData = keyof WebhookEventData> = {
  readonly [Each in Type]: { readonly type: Each; readonly at: Date; readonly data: WebhookEventData[Each] };
}[Type];

/** An event of a website, for the webhooks of its account that ask for it. */
export type EventOfWebsite = WebsiteEvent | AlertEvent | ReportEvent | ImportEvent | FindingEvent | ResourceEvent;
