import type { Period } from '../calendar/days.ts';
import type { Change } from '../changes/change.ts';
import type { IdempotencyRecord } from '../changes/idempotency-record.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Annotation } from './annotation.ts';

/**
 * Stores the annotations of websites; they are deleted with their website. Objects are copied in and out. Every method accepts
 * any string as an id, and rejects with a `DomainError` of code `unavailable` when the database cannot be reached or is
 * overloaded. The audit entry of a change is written with it, both or neither.
 */
export interface AnnotationRepository {
  /**
   * The annotations of these days, or all of them, by day, and of a day in the order in which they were inserted; `undefined` if
   * there is no such website.
   */
  list(website: WebsiteKey, days?: Period): Promise<Annotation[] | undefined>;

  /** The annotation, or `undefined`. */
  find(website: WebsiteKey, id: string): Promise<Annotation | undefined>;

  /**
   * Adds an annotation, and with it the idempotency record of the request, both or neither. An earlier record of the same
   * `keyHash` that has not expired wins: then nothing is written. Waits for a concurrent insert with the same `keyHash`.
   *
   * @returns the earlier record, or `undefined` if the annotation was added
   * @throws DomainError `not_found` if there is no such website; `too_many_annotations` if it has as many as it may have, also
   * under concurrency
   */
  insert(website: WebsiteKey, annotation: Annotation, change: Change): Promise<IdempotencyRecord | undefined>;

  /**
   * Replaces version `expected` of the annotation, atomically.
   *
   * @returns false, without writing, if that version has since been changed or deleted
   */
  replace(website: WebsiteKey, annotation: Annotation, expected: Date, change: Change): Promise<boolean>;

  /**
   * Deletes version `expected` of the annotation.
   *
   * @returns false if it does not exist, or not in that version
   */
  delete(website: WebsiteKey, id: string, expected: Date, change: Change): Promise<boolean>;
}
