import type { AuditChange } from '../changes/entry.ts';
import type { Event } from '../changes/event.ts';
import type { Website } from './website.ts';

/** A website was created, updated or deleted. */
export type WebsiteEvent = Event<'website.created' | 'website.updated' | 'website.deleted', ChangedWebsite>;

/** The website of an event about something else. */
export type NamedWebsite = Pick<Website, 'id' | 'url'>;

/** A website without the hash of its password, as it is stored with an event: instants are ISO 8601. */
export interface WebsiteState extends Omit<Website, 'passwordHash' | 'createdAt' | 'updatedAt'> {
  readonly hasPassword: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The website after a change, or before it was deleted. */
export interface ChangedWebsite {
  readonly website: WebsiteState;
  readonly changes: readonly AuditChange[];
}
