import {
  type AuditEntry,
  type AuditSubjectType,
  type Authored,
  changesOf,
  makeEntry,
  secretChange,
  verbOf,
} from '../changes/entry.ts';
import type { EventVerb, ResourceChange, ResourceEvent } from './resource-event.ts';
import type { Resource, ResourceRepository, UpdatableRepository } from './resource-repository.ts';

/** A website of an account, or an account. */
export interface Owner {
  readonly accountId: string;
  readonly websiteId?: string | undefined;
}

/** The dependencies of every use case that makes or changes something. */
export interface Making {
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
}

/** The part of a kind of resource that reading needs. */
export interface StoredType<Own extends Owner, Stored extends Resource, Repositories> {
  /** The error text about a resource that does not exist. */
  readonly absence: string;

  repository(deps: Repositories): ResourceRepository<Own, Stored>;
}

/** The part of a kind of resource that the audit trail needs. */
export interface RecordedType<Stored extends Resource> {
  readonly kind: AuditSubjectType;
  /** The verb of a deletion in the audit trail, if it is another one. */
  readonly deleted?: 'revoked';

  nameOf(resource: Stored): string | null;
  fieldsOf(resource: Stored): Readonly<Record<string, unknown>>;
  /** Secret fields: the trail says only that they changed. */
  secretsOf?(resource: Stored): Readonly<Record<string, string | null>>;
}

/** A kind of resource: all that distinguishes it from others. */
export interface ResourceType<Own extends Owner, Stored extends Resource, New, Repositories, Deps = Repositories>
  extends StoredType<Own, Stored, Repositories>,
    RecordedType<Stored> {
  /** A new resource of input that passed all rules which need no stored state. */
  make(deps: Deps & Making, input: New): Stored | Promise<Stored>;

  /** Checks a new or changed resource against what is stored. Throws `InvalidFields`. */
  check?(deps: Deps, owner: Own, resource: Stored, before: Stored | undefined): Promise<void>;

  /** The event that tells webhooks about it; absent where no webhook can ask for one. */
  eventOf?(deps: Deps, owner: Own, resource: Stored, verb: EventVerb, at: Date): Promise<ResourceEvent | undefined>;

  /** The input that a repeated create must have in common with the first; absent where creates cannot be repeated. */
  contentOf?(owner: Own, input: New): readonly unknown[];
}

/** A kind of resource that can change. */
export interface UpdatableType<
  Own extends Owner,
  Stored extends Resource,
  New,
  Changes,
  Repositories,
  Deps = Repositories,
> extends ResourceType<Own, Stored, New, Repositories, Deps> {
  repository(deps: Repositories): UpdatableRepository<Own, Stored>;

  /** The resource with the changes, or itself if they change nothing. Throws `InvalidFields` if they do not fit it. */
  change(current: Stored, changes: Changes, now: Date): Stored;
}

/** The change of a resource that is created (no `before`), updated, or deleted (no `after`). */
export function resourceChange<Stored extends Resource>(
  deps: Authored & Making,
  type: RecordedType<Stored>,
  { accountId, websiteId }: Owner,
  before: Stored | undefined,
  after: Stored | undefined,
): ResourceChange {
  const resource = after ?? before;
  if (resource === undefined) throw new Error('A change needs the resource that it is about.');
  const verb = verbOf(before, after);
  const action = `${type.kind}.${verb === 'deleted' ? (type.deleted ?? verb) : verb}` as AuditEntry['action'];
  const [had, has] = [before && type.secretsOf?.(before), after && type.secretsOf?.(after)];
  const changes = [
    ...changesOf(before ? type.fieldsOf(before) : {}, after ? type.fieldsOf(after) : {}),
    ...Object.keys(has ?? had ?? {}).flatMap((name) => secretChange(name, had?.[name] ?? null, has?.[name] ?? null)),
  ];
  const subject = { id: resource.id, name: type.nameOf(resource) };
  return { entry: makeEntry(deps, { accountId, action, websiteId: websiteId ?? null, subject, changes }) };
}
