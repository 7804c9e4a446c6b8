import type { Fault } from '@hitherto/domain/base';
import type { TimeZone } from '@hitherto/domain/calendar';
import type { Delivery, Webhook } from '@hitherto/domain/webhooks';
import { NEW_WEBHOOK, webhookPath } from '../../shared/paths.ts';
import { DeliveriesTable } from './deliveries-table.tsx';
import type { WebhookValues } from './webhook-form.ts';
import { WebhookForm } from './webhook-form-view.tsx';
import { nameOf, SecretNotice, WebhookFrame } from './webhooks-page.tsx';

/** The content of a webhook's page in addition to its settings. */
export interface Said {
  readonly values?: WebhookValues;
  readonly faults?: readonly Fault[];
  readonly secret?: string | null;
  readonly done?: string;
  readonly fault?: string;
}

/** The form of a webhook that does not exist yet. */
export function NewWebhookPage({ said, canWrite }: { readonly said: Said; readonly canWrite: boolean }) {
  const { values = {}, faults = [], fault } = said;
  return (
    <WebhookFrame title="Add a webhook" canWrite={canWrite}>
      <FaultLine text={fault} />
      <WebhookForm action={NEW_WEBHOOK} values={values} faults={faults} isNew canWrite={canWrite} />
    </WebhookFrame>
  );
}

interface WebhookPageProps {
  readonly webhook: Webhook;
  readonly canWrite: boolean;
  readonly values: WebhookValues;
  readonly said: Said;
  readonly deliveries: readonly Delivery[];
  readonly zone: TimeZone;
  /** The address of older deliveries, if there are any. */
  readonly older: string | undefined;
}

/** A webhook's settings and deliveries. */
export function WebhookPage({ webhook, canWrite, values, said, deliveries, zone, older }: WebhookPageProps) {
  const { faults = [], secret = null, done, fault } = said;
  const canSend = canWrite && webhook.isActive;
  return (
    <WebhookFrame title={nameOf(webhook)} canWrite={canWrite}>
      <FaultLine text={fault} />
      {secret !== null && <SecretNotice secret={secret} />}
      {done !== undefined && (
        <p class="notice good" role="status">
          {done}
        </p>
      )}
      {!webhook.isActive && <p class="notice">The webhook is turned off: no events are sent.</p>}
      <WebhookForm action={webhookPath(webhook.id)} values={values} faults={faults} isNew={false} canWrite={canWrite} />
      <h2>Deliveries</h2>
      {canSend && (
        <form method="post" action={webhookPath(webhook.id, 'test')}>
          <button class="plain" type="submit">
            Send a test
          </button>
        </form>
      )}
      <DeliveriesTable webhookId={webhook.id} deliveries={deliveries} zone={zone} canRetry={canSend} older={older} />
      {canWrite && (
        <p>
          <a href={webhookPath(webhook.id, 'delete')}>Delete the webhook</a>
        </p>
      )}
    </WebhookFrame>
  );
}

/** Asks before a webhook is deleted. */
export function DeletePage({ webhook, canWrite }: { readonly webhook: Webhook; readonly canWrite: boolean }) {
  return (
    <WebhookFrame title={nameOf(webhook)} canWrite={canWrite}>
      <form class="settings" method="post" action={webhookPath(webhook.id, 'delete')}>
        <p>This deletes the webhook and the list of its deliveries. No more events are sent there.</p>
        <fieldset class="buttons" disabled={!canWrite}>
          <button class="danger" type="submit">
            Delete the webhook
          </button>
          <a href={webhookPath(webhook.id)}>Keep it</a>
        </fieldset>
      </form>
    </WebhookFrame>
  );
}

function FaultLine({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="fault" role="alert">
      {text}
    </p>
  );
}
