import { MAX_WEBHOOKS, type Webhook, webhookHost } from '@hitherto/domain/webhooks';
import type { ComponentChildren } from 'preact';
import { NEW_WEBHOOK, WEBHOOKS, webhookPath } from '../../shared/paths.ts';
import { OwnerFrame, ReadOnlyNotice } from '../owner-frame.tsx';
import { EVENTS, FORMATS } from './words.ts';

interface WebhooksPageProps {
  readonly webhooks: readonly Webhook[];
  readonly canWrite: boolean;
}

/** The webhooks of an account, in the order of their creation. */
export function WebhooksPage({ webhooks, canWrite }: WebhooksPageProps) {
  return (
    <OwnerFrame title="Webhooks">
      <h1>Webhooks</h1>
      <p>A webhook tells another program or a chat when something happens.</p>
      {webhooks.length > 0 && (
        <ul class="card definitions">
          {webhooks.map((webhook) => (
            <li key={webhook.id}>
              <div>
                <bdi>
                  <strong>{nameOf(webhook)}</strong>
                </bdi>
                <p class="hint">
                  {FORMATS[webhook.format]}. {webhook.events.map((event) => EVENTS[event]).join('. ')}.
                </p>
                {!webhook.isActive && <p class="hint">Turned off: no events are sent.</p>}
              </div>
              <div class="buttons">
                <a href={webhookPath(webhook.id)} aria-label={`Settings of ${nameOf(webhook)}`}>
                  Settings
                </a>
              </div>
            </li>
          ))}
        </ul>
      )}
      {webhooks.length >= MAX_WEBHOOKS && <p>These are all {MAX_WEBHOOKS} webhooks that an account can have.</p>}
      {canWrite && webhooks.length < MAX_WEBHOOKS && (
        <p>
          <a class="button" href={NEW_WEBHOOK}>
            Add a webhook
          </a>
        </p>
      )}
    </OwnerFrame>
  );
}

interface WebhookFrameProps {
  readonly title: string;
  readonly canWrite: boolean;
  readonly children: ComponentChildren;
}

/** The frame of each page of a webhook. */
export function WebhookFrame({ title, canWrite, children }: WebhookFrameProps) {
  return (
    <OwnerFrame title={title}>
      <p>
        <a href={WEBHOOKS}>Webhooks</a>
      </p>
      <h1>
        <bdi>{title}</bdi>
      </h1>
      <ReadOnlyNotice canWrite={canWrite} />
      {children}
    </OwnerFrame>
  );
}

/** Shows the secret of a webhook, once. */
export function SecretNotice({ secret }: { readonly secret: string }) {
  return (
    <div class="notice" role="status">
      <p>The webhook was added. Its secret verifies signatures, and is shown only now:</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
    </div>
  );
}

/** The host of a webhook, for people. */
export function nameOf(webhook: Webhook): string {
  return webhookHost(webhook) ?? 'A webhook that cannot be decrypted';
}
