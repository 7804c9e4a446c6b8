import type { UpdatableRepository } from '../resources/resource-repository.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Definition, DefinitionKind } from './definition.ts';

/**
 * Stores the definitions of websites of one kind. An insert and a replacement throw `NameTaken` where the website has another
 * definition of the kind with this name; the deletion of a segment throws `SegmentInUse` where a shared link shows its visits.
 */
export interface DefinitionRepository<Kind extends DefinitionKind>
  extends UpdatableRepository<WebsiteKey, Definition<Kind>> {
  /** How many bytes the contents of all definitions have as JSON; 0 if there is no such website. */
  size(website: WebsiteKey): Promise<number>;

  /** Those of the website's definitions that have one of these ids, in the order of `list`. */
  findAll(website: WebsiteKey, ids: readonly string[]): Promise<Definition<Kind>[]>;
}

/** The repositories of definitions, by kind. */
export type DefinitionRepositories = { readonly [Kind in DefinitionKind]: DefinitionRepository<Kind> };
