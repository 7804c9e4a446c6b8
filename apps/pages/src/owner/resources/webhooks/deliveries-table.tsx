import type { TimeZone } from '@hitherto/domain/calendar';
import { formatTime } from '@hitherto/domain/format';
import type { Delivery } from '@hitherto/domain/webhooks';
import { useLocale } from '../../../shared/locale.tsx';
import { resourcePath } from '../../../shared/paths.ts';
import { nameOfEvent } from './words.ts';

interface DeliveriesTableProps {
  /** The address of the webhook's list, and its id. */
  readonly list: string;
  readonly webhookId: string;
  readonly deliveries: readonly Delivery[];
  readonly zone: TimeZone;
  /** Whether something can be sent again. */
  readonly canRetry: boolean;
  /** The address of the older ones, if there are any. */
  readonly older: string | undefined;
}

/** The deliveries of a webhook and their outcomes, newest first. */
export function DeliveriesTable({ list, webhookId, deliveries, zone, canRetry, older }: DeliveriesTableProps) {
  const locale = useLocale();
  const { webhook } = locale.words.resources;
  if (deliveries.length === 0) return <p>{webhook.nothingSent}</p>;
  return (
    <>
      <table class="facts deliveries">
        <caption>{webhook.recentDeliveries}</caption>
        <thead>
          <tr>
            <th scope="col">{webhook.event}</th>
            <th scope="col">{webhook.state}</th>
            <th scope="col">
              <span class="unseen">{webhook.sendAgain}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id} data-state={delivery.state}>
              <th scope="row">
                {nameOfEvent(locale, delivery.event.type)}
                <small>
                  <time dateTime={delivery.event.at.toISOString()}>{formatTime(locale, zone, delivery.event.at)}</time>
                </small>
              </th>
              <td>
                <State delivery={delivery} zone={zone} />
              </td>
              <td>
                {canRetry && (
                  <form method="post" action={resourcePath(list, webhookId, 'retry')}>
                    <input type="hidden" name="delivery" value={delivery.id} />
                    <button class="plain" type="submit">
                      {webhook.sendAgain}
                    </button>
                  </form>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {older !== undefined && (
        <p>
          <a href={older}>{webhook.older}</a>
        </p>
      )}
    </>
  );
}

function State({ delivery, zone }: { readonly delivery: Delivery; readonly zone: TimeZone }) {
  const locale = useLocale();
  const { webhook } = locale.words.resources;
  const { state, error, dueAt, attempts } = delivery;
  return (
    <>
      {webhook.states[state]}
      {attempts > 1 && <small>{webhook.attempts(attempts)}</small>}
      {error !== null && <small>{error}</small>}
      {state === 'pending' && attempts > 0 && dueAt !== null && (
        <small>{webhook.againAt(formatTime(locale, zone, dueAt))}</small>
      )}
    </>
  );
}
