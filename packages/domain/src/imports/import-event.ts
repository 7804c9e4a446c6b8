import type { Event } from '../changes/event.ts';
import type { NamedWebsite } from '../websites/website-event.ts';
import type { Import } from './import.ts';

/** An import has ended. */
export type ImportEvent = Event<'import.finished', { readonly website: NamedWebsite; readonly import: EndedImport }>;

/** An import as it is stored with an event, without the hash of its file: instants are ISO 8601. */
export interface EndedImport extends Omit<Import, 'websiteId' | 'sha256' | 'createdAt'> {
  readonly createdAt: string;
}
