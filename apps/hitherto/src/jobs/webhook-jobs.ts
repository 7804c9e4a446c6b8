import { type DeliverDependencies, deleteOldDeliveries, deliverDue, type Job } from '@hitherto/domain';
import { unlessStopped } from './unless-stopped.ts';

const MINUTE_MS = 60_000;
/** How soon an event is sent. Asking costs one statement on an index. */
const EVERY_MS = 5_000;

/** Delivers to webhooks. */
export function webhookJobs(deps: DeliverDependencies): readonly Job[] {
  return [
    {
      name: 'deliver to webhooks',
      every: EVERY_MS,
      work: async (signal) => {
        await unlessStopped(deliverDue(deps, signal), signal);
        return false;
      },
    },
    {
      name: 'delete old deliveries to webhooks',
      every: 60 * MINUTE_MS,
      work: async () => {
        await deleteOldDeliveries(deps);
        return false;
      },
    },
  ];
}
