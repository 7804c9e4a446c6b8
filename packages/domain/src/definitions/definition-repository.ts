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

/** The segments, goals and funnels of a website, in the order of creation. */
export interface Definitions {
  readonly segments: readonly Definition<'segment'>[];
  readonly goals: readonly Definition<'goal'>[];
  readonly funnels: readonly Definition<'funnel'>[];
}

export type DefinitionsByKind = { readonly [Kind in DefinitionKind]: DefinitionRepository<Kind> };

/** The repositories of definitions, by kind. */
export interface DefinitionRepositories extends DefinitionsByKind {
  /** Those of all kinds; none if there is no such website. */
  all(website: WebsiteKey): Promise<Definitions>;
}
