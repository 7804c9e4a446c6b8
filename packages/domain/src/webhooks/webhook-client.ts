import { inEnglish, type StoredText } from '../base/stored-text.ts';
import type { WebhookEvent } from './event.ts';
import type { WebhookFormat } from './webhook.ts';

/** A message for the receiver of a webhook. */
export interface WebhookMessage {
  readonly url: string;
  /** The body, in JSON. */
  readonly body: string;
  /** The `webhook-id`: the same at every attempt. */
  readonly id: string;
  /** Signs the message and the time of the attempt, unless it is `null`. */
  readonly secret: string | null;
}

/** Sends messages to addresses that others chose, and never to private networks (webhooks.md, "Requests to private networks"). */
export interface WebhookClient {
  /**
   * Resolves to the status of the response, of whatever kind.
   *
   * @throws WebhookUnreachable if there was none within 10 seconds
   */
  send(message: WebhookMessage): Promise<number>;
}

/** There was no response. The message is for people, and says nothing about private networks. */
export class WebhookUnreachable extends Error {
  override readonly name = 'WebhookUnreachable';
  readonly text: StoredText;

  constructor(text: StoredText) {
    super(inEnglish(text));
    this.text = text;
  }
}

/** Writes events in the words of a format. */
export type WriteWebhookMessage = (
  event: WebhookEvent,
  format: WebhookFormat,
  url: string,
) => Pick<WebhookMessage, 'url' | 'body'>;
