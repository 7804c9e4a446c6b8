import type { TimeZone } from '@hitherto/domain/calendar';
import { formatTime } from '@hitherto/domain/format';
import type { Delivery } from '@hitherto/domain/webhooks';
import { ENGLISH } from '@hitherto/words';
import { resourcePath } from '../../../shared/paths.ts';
import { nameOfEvent, STATES } from './words.ts';

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
  if (deliveries.length === 0) return <p>Nothing was sent in the last 30 days.</p>;
  return (
    <>
      <table class="facts deliveries">
        <caption>Deliveries of the last 30 days</caption>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">State</th>
            <th scope="col">
              <span class="unseen">Send again</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id} data-state={delivery.state}>
              <th scope="row">
                {nameOfEvent(delivery.event.type)}
                <small>
                  <time dateTime={delivery.event.at.toISOString()}>{formatTime(ENGLISH, zone, delivery.event.at)}</time>
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
                      Send again
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
          <a href={older}>Older deliveries</a>
        </p>
      )}
    </>
  );
}

function State({ delivery, zone }: { readonly delivery: Delivery; readonly zone: TimeZone }) {
  const { state, error, dueAt, attempts } = delivery;
  return (
    <>
      {STATES[state]}
      {attempts > 1 && <small>{attempts} attempts</small>}
      {error !== null && <small>{error}</small>}
      {state === 'pending' && attempts > 0 && dueAt !== null && (
        <small>again at {formatTime(ENGLISH, zone, dueAt)}</small>
      )}
    </>
  );
}
