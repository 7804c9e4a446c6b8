import type { Change } from '../changes/change.ts';
import type { IdempotencyRecord } from '../changes/idempotency-record.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Definition, DefinitionKind } from './definition.ts';

/**
 * Stores the segments, goals and funnels of websites; they are deleted with their website. Objects are copied in and out.
 * Every method accepts any string as an id, and rejects with a `DomainError` of code `unavailable` when the database cannot
 * be reached or is overloaded. The audit entry of a change is written with it, both or neither.
 */
export interface DefinitionRepository {
  /** All definitions of the kind in the order in which they were inserted; `undefined` if there is no such website. */
  list<Kind extends DefinitionKind>(kind: Kind, website: WebsiteKey): Promise<Definition<Kind>[] | undefined>;

  /** How many bytes the contents of all definitions of the kind have as JSON; 0 if there is no such website. */
  size(kind: DefinitionKind, website: WebsiteKey): Promise<number>;

  /** Those of the website's definitions of the kind that have one of these ids, in the order of `list`. */
  find<Kind extends DefinitionKind>(
    kind: Kind,
    website: WebsiteKey,
    ids: readonly string[],
  ): Promise<Definition<Kind>[]>;

  /**
   * Adds a definition, and with it the idempotency record of the request, both or neither. An earlier record of the same
   * `keyHash` that has not expired wins: then nothing is written. Waits for a concurrent insert with the same `keyHash`.
   *
   * @returns the earlier record, or `undefined` if the definition was added
   * @throws DomainError `not_found` if there is no such website; `too_many_segments` and the like if it has as many
   * definitions of the kind as it may have, also under concurrency
   * @throws NameTaken if the website has a definition of the kind with this name
   */
  insert<Kind extends DefinitionKind>(
    kind: Kind,
    website: WebsiteKey,
    definition: Definition<Kind>,
    change: Change,
  ): Promise<IdempotencyRecord | undefined>;

  /**
   * Replaces version `expected` of the definition, atomically.
   *
   * @returns false, without writing, if that version has since been changed or deleted
   * @throws NameTaken if the website has another definition of the kind with this name
   */
  replace<Kind extends DefinitionKind>(
    kind: Kind,
    website: WebsiteKey,
    definition: Definition<Kind>,
    expected: Date,
    change: Change,
  ): Promise<boolean>;

  /**
   * Deletes the definition, or only its version `expected` unless that is `undefined`.
   *
   * @returns false if it does not exist, or not in that version
   * @throws SegmentInUse if a shared link shows the visits of this segment
   */
  delete(
    kind: DefinitionKind,
    website: WebsiteKey,
    id: string,
    expected: Date | undefined,
    change: Change,
  ): Promise<boolean>;
}
