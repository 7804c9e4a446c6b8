import type { Change } from '../changes/change.ts';
import type { Event } from '../changes/event.ts';
import type { NamedWebsite } from '../websites/website-event.ts';

/** The events of a resource that webhooks get. */
export type EventVerb = 'created' | 'deleted' | 'erased';

/** Something happened to a resource of a website whose numbers it changes. */
export type ResourceEvent = Event<
  `cleanup.${EventVerb}`,
  {
    readonly website: NamedWebsite;
    readonly cleanup: { readonly id: string; readonly name: string; readonly [field: string]: unknown };
  }
>;

/** A change of a resource, and the event for webhooks, if the kind has events. */
export interface ResourceChange extends Change {
  readonly event?: ResourceEvent | undefined;
}
