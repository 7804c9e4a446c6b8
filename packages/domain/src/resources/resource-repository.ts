import type { IdempotencyRecord } from '../changes/idempotency-record.ts';
import type { ResourceChange } from './resource-event.ts';

/** Something that belongs to a website or an account. */
export interface Resource {
  /** UUIDv7, lower case. */
  readonly id: string;
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond, and so its version; absent where nothing can change. */
  readonly updatedAt?: Date;
}

/**
 * Stores the resources of one kind. They are deleted with their owner, which is a website of an account, or an account; another
 * account's website counts as absent. Objects are copied in and out. Every method accepts any string as an id, and rejects with
 * a `DomainError` of code `unavailable` when the database cannot be reached or is overloaded. A change and its
 * records are written together, all or nothing.
 */
export interface ResourceRepository<Owner, Stored extends Resource> {
  /** All resources in the order in which they were inserted; `undefined` if there is no such website. */
  list(owner: Owner): Promise<Stored[] | undefined>;

  /** The resource, or `undefined`. */
  find(owner: Owner, id: string): Promise<Stored | undefined>;

  /**
   * Adds a resource, and with it the idempotency record of the request. Waits for a concurrent insert with the same record.
   *
   * @returns the earlier record, or `undefined` if the resource was added
   * @throws DomainError `not_found` if there is no such owner; `too_many_segments` and the like if it has as many resources of
   * the kind as it may have, also under concurrency
   */
  insert(owner: Owner, resource: Stored, change: ResourceChange): Promise<IdempotencyRecord | undefined>;

  /**
   * Deletes the resource, or only its version `expected` unless that is `undefined`.
   *
   * @returns false if it does not exist, or not in that version
   */
  delete(owner: Owner, id: string, expected: Date | undefined, change: ResourceChange): Promise<boolean>;
}

/** Stores resources that can change. */
export interface UpdatableRepository<Owner, Stored extends Resource> extends ResourceRepository<Owner, Stored> {
  /**
   * Replaces version `expected` of the resource, atomically.
   *
   * @returns false, without writing, if that version has since been changed or deleted
   */
  replace(owner: Owner, resource: Stored, expected: Date, change: ResourceChange): Promise<boolean>;
}
