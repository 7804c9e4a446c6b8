import type { Change } from '../changes/change.ts';
import {
  type AuditEntry,
  type AuditSubjectKind,
  type Authored,
  changesOf,
  makeEntry,
  secretChange,
  verbOf,
} from '../changes/entry.ts';
import type { Resource, ResourceRepository, UpdatableRepository } from './resource-repository.ts';

/** A website of an account, or an account. */
export interface Owner {
  readonly accountId: string;
  readonly websiteId?: string | undefined;
}

/** What every use case that makes or changes something needs. */
export interface Making {
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
}

/** What use cases that only read need to know of a kind of resource. */
export interface StoredType<Own extends Owner, Stored extends Resource, Repositories> {
  /** What is said of a resource that does not exist. */
  readonly absence: string;

  repository(deps: Repositories): ResourceRepository<Own, Stored>;
}

/** What the audit trail says of a kind of resource. */
export interface RecordedType<Stored extends Resource> {
  readonly kind: AuditSubjectKind;
  /** What happens to one that is deleted, if there is another word for it. */
  readonly deleted?: 'revoked';

  nameOf(resource: Stored): string | null;
  fieldsOf(resource: Stored): Readonly<Record<string, unknown>>;
  /** The fields of which it says only that they changed. */
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
): Change {
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
