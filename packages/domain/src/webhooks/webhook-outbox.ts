import type { WebhookEvent } from './event.ts';
import type { Webhook } from './webhook.ts';

const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** An event for one webhook, without its data, and its outcome. */
export interface Delivery {
  /** A UUID: the `webhook-id` of every attempt. */
  readonly id: string;
  readonly event: Pick<WebhookEvent, 'type' | 'at'>;
  /** `pending` will be tried, perhaps again; `failed` was given up. */
  readonly state: DeliveryState;
  /** How many attempts have ended. */
  readonly attempts: number;
  /** The status of the last response; `null` if there was none. */
  readonly responseCode: number | null;
  /** Why the last attempt failed, for people. */
  readonly error: string | null;
  readonly attemptedAt: Date | null;
  /** When a pending one is due next, or the claim on it ends. */
  readonly dueAt: Date | null;
}

/** A delivery that this process alone may attempt until the lease ends. */
export interface ClaimedDelivery extends Pick<Delivery, 'id' | 'attempts'> {
  readonly event: WebhookEvent;
  readonly accountId: string;
  readonly webhook: Pick<Webhook, 'id' | 'url' | 'format' | 'secret' | 'failingSince'>;
  /** Distinguishes this claim from later ones. */
  readonly leasedUntil: Date;
}

/** The outcome of an attempt. */
export type Attempt = {
  readonly at: Date;
  readonly responseCode: number | null;
  /** Whether it counts for how long the webhook has failed. */
  readonly counts: boolean;
} & (
  | { readonly outcome: 'delivered' }
  | {
      readonly outcome: 'failed';
      readonly error: string;
      /** `undefined` gives it up. */
      readonly retryAt: Date | undefined;
      /** Turns the webhook off: its waiting deliveries fail, and this event goes to the account. */
      readonly disabled?: WebhookEvent<'webhook.disabled'>;
      /** The error within the service, for its log. */
      readonly cause?: unknown;
    }
);

/**
 * The deliveries of webhooks. Repositories record them in the transaction of the change that they are about, for each active
 * webhook that asks for the event. Deliveries go with their webhook, but outlive the website. Every method accepts any string
 * as an id, and rejects with a `DomainError` of code `unavailable` while the database is unreachable.
 */
export interface WebhookOutbox {
  /**
   * Claims the delivery that is due longest at `now`, until `leasedUntil`. A delivery waits while an earlier one to the same
   * webhook about the same website is pending, unless its event is more than an hour ahead, and while another to the same
   * webhook is being attempted; of claims at the same time, two may be of deliveries to one webhook. While a webhook is off, only its event `webhook.disabled` can be claimed.
   */
  claim(now: Date, leasedUntil: Date): Promise<ClaimedDelivery | undefined>;

  /** Records a test of the webhook, claimed as by `claim`; `undefined` if there is no such webhook. */
  claimTest(
    accountId: string,
    webhookId: string,
    event: WebhookEvent<'webhook.test'>,
    leasedUntil: Date,
  ): Promise<ClaimedDelivery | undefined>;

  /** Records an attempt. A success counts even if the lease has ended; a failure has no effect then. */
  finish(delivery: ClaimedDelivery, attempt: Attempt): Promise<void>;

  /** At most `limit` deliveries of the webhook, newest first, from after the delivery `after` on. */
  list(accountId: string, webhookId: string, limit: number, after?: string): Promise<Delivery[]>;

  /** The delivery; `undefined` if there is none. */
  find(accountId: string, webhookId: string, id: string): Promise<Delivery | undefined>;

  /** Makes a delivery of an active webhook due at `now`, whatever its state; returns false if there is no such delivery. */
  retry(accountId: string, webhookId: string, id: string, now: Date): Promise<boolean>;

  /** Deletes the deliveries of events before `time`; returns how many. */
  deleteBefore(time: Date): Promise<number>;
}
