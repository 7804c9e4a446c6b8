import { isDeepStrictEqual } from 'node:util';
import { InvalidFields } from '../base/errors.ts';
import { nextVersion } from '../base/versions.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import type { Making, UpdatableType } from '../resources/resource-type.ts';
import { listResources } from '../resources/use-cases.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Contents, Definition, DefinitionChanges, DefinitionKind, NewDefinition } from './definition.ts';
import type { DefinitionRepositories, DefinitionsByKind } from './definition-repository.ts';
import { funnelInputOf } from './funnels.ts';
import { goalInputOf } from './goals.ts';
import { namedGoals, unknownGoalFaults } from './resolve-filters.ts';
import { segmentInputOf } from './segments.ts';

export interface StoredDefinitions {
  readonly definitions: DefinitionRepositories;
}

/** The dependencies of the use cases of definitions. */
export interface DefinitionDependencies extends StoredDefinitions, Making {
  readonly idempotency: IdempotencyRepository;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Segments, goals or funnels. */
export interface DefinitionType<Kind extends DefinitionKind>
  extends UpdatableType<WebsiteKey, Definition<Kind>, NewDefinition<Kind>, DefinitionChanges<Kind>, StoredDefinitions> {
  readonly kind: Kind;
  contentOf(website: WebsiteKey, input: NewDefinition<Kind>): readonly unknown[];
}

export const SEGMENT: DefinitionType<'segment'> = { ...typeOf('segment', segmentInputOf), check: rejectUnknownGoals };
export const GOAL: DefinitionType<'goal'> = typeOf('goal', goalInputOf);
export const FUNNEL: DefinitionType<'funnel'> = typeOf('funnel', funnelInputOf);

export const DEFINITION_TYPES: { readonly [Kind in DefinitionKind]: DefinitionType<Kind> } = {
  segment: SEGMENT,
  goal: GOAL,
  funnel: FUNNEL,
};

/** @param inputOf the content as the API takes it */
function typeOf<Kind extends DefinitionKind>(
  kind: Kind,
  inputOf: (content: Contents[Kind]) => object,
): DefinitionType<Kind> {
  return {
    kind,
    absence: 'There is no such website, or no such definition.',
    repository: ({ definitions }: { readonly definitions: DefinitionsByKind }) => definitions[kind],

    make({ now, newId }, { name, content }) {
      const at = now();
      return { id: newId(), name, content, createdAt: at, updatedAt: at };
    },

    change(current, changes, now) {
      const content = changes.change(current.content);
      const name = changes.name ?? current.name;
      if (name === current.name && isDeepStrictEqual(content, current.content)) return current;
      return { ...current, name, content, updatedAt: nextVersion(current, now) };
    },

    contentOf: ({ websiteId }, { name, content }) => [kind, websiteId, name, content],
    nameOf: ({ name }) => name,
    fieldsOf: ({ name, content }) => ({ name, ...inputOf(content) }),
  };
}

/** Only segments name goals. */
async function rejectUnknownGoals(
  { definitions }: StoredDefinitions,
  website: WebsiteKey,
  { content }: Definition<'segment'>,
  before: Definition<'segment'> | undefined,
): Promise<void> {
  if (namedGoals(content.filters).length === 0 || isDeepStrictEqual(content.filters, before?.content.filters)) return;
  const goals = await listResources({ definitions }, GOAL, website);
  const faults = unknownGoalFaults(content.filters, new Map(goals.map((goal) => [goal.id, goal])));
  if (faults.length > 0) throw new InvalidFields(faults);
}
