import { isDeepStrictEqual } from 'node:util';
import { DomainError, type Fault, InvalidFields, NameTaken, SegmentInUse } from '@hitherto/domain/base';
import type { Authored } from '@hitherto/domain/changes';
import {
  DEFINITION_TYPES,
  type Definition,
  type DefinitionDependencies,
  type DefinitionKind,
  type NewDefinition,
} from '@hitherto/domain/definitions';
import { createResource, listResources, updateResource } from '@hitherto/domain/resources';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { isStale, requireVersion } from '../versions.ts';

type Dependencies = Pick<DefinitionDependencies, 'definitions' | 'now' | 'newId'> & Authored;

/** The definition that a form changes. */
interface Edited<Kind extends DefinitionKind> {
  readonly stored: Definition<Kind>;
  /** As the form says; without one, whatever is stored is replaced. */
  readonly version: string | undefined;
}

/**
 * Creates a definition, or replaces the edited one if it still has its version. A form that is sent twice does the same as
 * one that is sent once.
 */
export async function saveDefinition<Kind extends DefinitionKind>(
  deps: Dependencies,
  kind: Kind,
  website: WebsiteKey,
  input: NewDefinition<Kind>,
  edited?: Edited<Kind>,
): Promise<void> {
  if (edited === undefined) {
    try {
      await createResource(deps, DEFINITION_TYPES[kind], website, input);
    } catch (error) {
      if (!(error instanceof NameTaken) && !isFull(error, kind)) throw error;
      const all = await listResources(deps, DEFINITION_TYPES[kind], website);
      const isSaved = ({ name, content }: Definition<Kind>) =>
        name === input.name && isDeepStrictEqual(content, input.content);
      if (!all.some(isSaved)) throw error;
    }
    return;
  }
  const { stored, version } = edited;
  if (stored.name === input.name && isDeepStrictEqual(stored.content, input.content)) return;
  const changes = { name: input.name, change: () => input.content };
  await updateResource(deps, DEFINITION_TYPES[kind], website, stored.id, changes, requireVersion(version));
}

/** Why a form was not saved, or nothing was deleted. */
export interface Rejection {
  readonly status: 409 | 422;
  readonly faults: readonly Fault[];
  /** A reason that is about no field. */
  readonly reason?: string;
}

/** The message of a form about an error; `undefined` if it has nothing to do with the form. */
export function rejectionOf(error: unknown, kind: DefinitionKind): Rejection | undefined {
  if (error instanceof InvalidFields) return { status: 422, faults: error.faults };
  if (error instanceof NameTaken) {
    const detail = `The website already has a ${kind} with this name.`;
    return { status: 422, faults: [{ field: 'name', code: 'not_allowed', detail }] };
  }
  if (isStale(error)) {
    return { status: 409, faults: [], reason: `This ${kind} was changed elsewhere after you opened this page.` };
  }
  if (error instanceof SegmentInUse) return { status: 409, faults: [], reason: error.message };
  return isFull(error, kind) ? { status: 422, faults: [], reason: error.message } : undefined;
}

/** Whether the website has as many definitions as it may have. */
function isFull(error: unknown, kind: DefinitionKind): error is DomainError {
  return error instanceof DomainError && error.code === `too_many_${kind}s`;
}
