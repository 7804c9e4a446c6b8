import { DomainError } from '../base/errors.ts';
import { type Precondition, untilSettled, type Versioned } from '../base/versions.ts';
import { type Created, createOnce } from '../changes/create-once.ts';
import type { Authored } from '../changes/entry.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import type { ResourceChange } from './resource-event.ts';
import type { Resource } from './resource-repository.ts';
import {
  type Making,
  type Owner,
  type RecordedType,
  type ResourceType,
  resourceChange,
  type StoredType,
  type UpdatableType,
} from './resource-type.ts';

// One use case for each verb, for resources of every kind. Each rejects with `not_found` if the account has no such website, or
// the owner no such resource.

type Changing = Authored & Making;

interface Repeating {
  readonly idempotency: Pick<IdempotencyRepository, 'find'>;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The resources of an owner, in the order in which they were created. */
export async function listResources<Own extends Owner, Stored extends Resource, Repositories>(
  deps: Repositories,
  type: StoredType<Own, Stored, Repositories>,
  owner: Own,
): Promise<Stored[]> {
  const found = await type.repository(deps).list(owner);
  if (found === undefined) throw absent(type);
  return found;
}

export async function showResource<Own extends Owner, Stored extends Resource, Repositories>(
  deps: Repositories,
  type: StoredType<Own, Stored, Repositories>,
  owner: Own,
  id: string,
): Promise<Stored> {
  const found = await type.repository(deps).find(owner, id);
  if (found === undefined) throw absent(type);
  return found;
}

/** Creates a resource. Rejects with `too_many_segments` and the like, or what the check of the type throws. */
export async function createResource<Own extends Owner, Stored extends Resource, New, Deps>(
  deps: Deps & Changing,
  type: ResourceType<Own, Stored, New, Deps>,
  owner: Own,
  input: New,
): Promise<Stored> {
  const resource = await makeResource(deps, type, owner, input);
  await type.repository(deps).insert(owner, resource, await creation(deps, type, owner, resource));
  return resource;
}

/** As {@link createResource}, once per `idempotencyKey` and account: see {@link createOnce}. */
export function createResourceOnce<Own extends Owner, Stored extends Resource & Versioned, New, Deps>(
  deps: Deps & Changing & Repeating,
  type: ResourceType<Own, Stored, New, Deps> & { contentOf(owner: Own, input: New): readonly unknown[] },
  owner: Own,
  input: New,
  idempotencyKey: string,
): Promise<Created<Stored>> {
  return createOnce(deps, owner.accountId, idempotencyKey, {
    content: JSON.stringify(type.contentOf(owner, input)),
    make: () => makeResource(deps, type, owner, input),
    insert: async (resource, record) => {
      const change = await creation(deps, type, owner, resource);
      return type.repository(deps).insert(owner, resource, { ...change, record });
    },
  });
}

/**
 * Updates a resource atomically: concurrent changes to different fields are all kept. An update that changes nothing leaves it
 * unmodified, including `updatedAt`. Rejects with any error of the precondition, of the changes, or of the check of the type.
 */
export function updateResource<Own extends Owner, Stored extends Resource & Versioned, Changes, Deps>(
  deps: Deps & Changing,
  type: UpdatableType<Own, Stored, never, Changes, Deps>,
  owner: Own,
  id: string,
  changes: Changes,
  precondition?: Precondition,
): Promise<Stored> {
  return untilSettled(async () => {
    const current = await showResource(deps, type, owner, id);
    precondition?.(current);
    const changed = type.change(current, changes, deps.now());
    if (changed === current) return current;
    await type.check?.(deps, owner, changed, current);
    const change = resourceChange(deps, type, owner, current, changed);
    return (await type.repository(deps).replace(owner, changed, current.updatedAt, change)) ? changed : undefined;
  });
}

/** Deletes a resource atomically. Rejects with any error of the precondition. */
export async function deleteResource<Own extends Owner, Stored extends Resource, Repositories>(
  deps: Repositories & Changing,
  type: StoredType<Own, Stored, Repositories> & RecordedType<Stored>,
  owner: Own,
  id: string,
  precondition?: (current: Stored) => void,
): Promise<void> {
  await untilSettled(async () => {
    const current = await showResource(deps, type, owner, id);
    precondition?.(current);
    const change = resourceChange(deps, type, owner, current, undefined);
    return (await type.repository(deps).delete(owner, id, current.updatedAt, change)) ? current : undefined;
  });
}

async function makeResource<Own extends Owner, Stored extends Resource, New, Deps>(
  deps: Deps & Making,
  type: ResourceType<Own, Stored, New, Deps>,
  owner: Own,
  input: New,
): Promise<Stored> {
  const resource = await type.make(deps, input);
  await type.check?.(deps, owner, resource, undefined);
  return resource;
}

async function creation<Own extends Owner, Stored extends Resource, New, Deps>(
  deps: Deps & Changing,
  type: ResourceType<Own, Stored, New, Deps>,
  owner: Own,
  resource: Stored,
): Promise<ResourceChange> {
  const change = resourceChange(deps, type, owner, undefined, resource);
  return { ...change, event: await type.eventOf?.(deps, owner, resource, 'created', resource.createdAt) };
}

function absent({ absence }: { readonly absence: string }): DomainError {
  return new DomainError('not_found', absence);
}
