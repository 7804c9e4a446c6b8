import type { Event } from '../changes/event.ts';
import type { NamedWebsite } from '../websites/website-event.ts';
import type { AlertRule } from './alert.ts';

/** An alert has fired. */
export type AlertEvent = Event<'alert.fired', { readonly website: NamedWebsite; readonly alert: FiredAlert }>;

/** The content of an alert: plain JSON, as webhooks and mails get it. */
export interface FiredAlert {
  /** Of the alert. */
  readonly id: string;
  readonly rule: AlertRule;
  /** The event and the usual number, in English sentences. */
  readonly text: string;
  /** The number that the rule is about; percent of `dropped`. */
  readonly number: number;
  /** The usual number; `null` where it is unknown. */
  readonly usual: number | null;
  /** The hours of `silence`. */
  readonly hours: number | null;
  /** The name of the goal, or the main reason of dropped hits; `null` where there is none. */
  readonly subject: string | null;
  /** The top sources and pages of the day. */
  readonly sources: readonly FiredValue[];
  readonly pages: readonly FiredValue[];
  /** The statistics page; `null` where the address of the installation is unknown. */
  readonly pageUrl: string | null;
}

/** A source or a page, and its visitors of the day. */
export interface FiredValue {
  /** `null` if there is none, as for direct visits. */
  readonly value: string | null;
  readonly visitors: number;
}
