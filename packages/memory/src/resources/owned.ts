import type { Alert } from '@hitherto/domain/alerts';
import type { Annotation } from '@hitherto/domain/annotations';
import { DomainError } from '@hitherto/domain/base';
import type { Cleanup } from '@hitherto/domain/cleanups';
import type { Definition } from '@hitherto/domain/definitions';
import type { SharedLink } from '@hitherto/domain/links';
import type { Recipient } from '@hitherto/domain/recipients';
import type { Owner, Resource, UpdatableRepository } from '@hitherto/domain/resources';
import type { Webhook } from '@hitherto/domain/webhooks';
import { audit } from '../audit-trail.ts';
import { earlierRecord, keepRecord } from '../idempotency-repository.ts';
import type { State } from '../state.ts';
import { deliver } from '../webhooks/deliveries.ts';

/** The resources of all owners by kind, each with its owner, by id in the order of their insertion. */
export interface OwnedResources {
  readonly segment: Owned<Definition<'segment'>>;
  readonly goal: Owned<Definition<'goal'>>;
  readonly funnel: Owned<Definition<'funnel'>>;
  readonly link: Owned<SharedLink>;
  readonly annotation: Owned<Annotation>;
  readonly cleanup: Owned<Cleanup>;
  readonly recipient: Owned<Recipient>;
  readonly alert: Owned<Alert>;
  readonly webhook: Owned<Webhook>;
}

export type Owned<Stored> = Map<string, { readonly owner: Owner; readonly resource: Stored }>;

/** The rules of a kind of resource. */
export interface Rules<Stored extends Resource> {
  readonly limit: number;
  tooMany(): DomainError;
  /** Throws if the resource cannot stand next to the others of its owner. */
  reject?(owner: Owner, resource: Stored, others: readonly Stored[]): void;
  /** Throws if the resource is needed. */
  rejectDeletion?(owner: Owner, id: string): void;
  /** The resource to store in place of the one before. */
  replacing?(before: Stored, after: Stored): Stored;
  onDelete?(id: string): void;
}

/** Stores the resources of a kind in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createOwned<Own extends Owner, Stored extends Resource>(
  state: State,
  all: Owned<Stored>,
  rules: Rules<Stored>,
): UpdatableRepository<Own, Stored> {
  const isOwn = ({ owner }: { readonly owner: Owner }, { accountId, websiteId }: Owner) =>
    owner.accountId === accountId && owner.websiteId === websiteId;
  const find = (owner: Own, id: string) => {
    const found = all.get(id);
    return found !== undefined && accountOf(state, owner) !== undefined && isOwn(found, owner)
      ? found.resource
      : undefined;
  };
  const ofOwner = (owner: Own) =>
    [...all.values()].filter((each) => isOwn(each, owner)).map(({ resource }) => resource);
  const isVersion = ({ updatedAt }: Stored, expected: Date) => updatedAt?.getTime() === expected.getTime();

  return {
    async list(owner) {
      if (accountOf(state, owner) === undefined) return owner.websiteId === undefined ? [] : undefined;
      return structuredClone(ofOwner(owner));
    },

    async find(owner, id) {
      return structuredClone(find(owner, id));
    },

    async insert(owner, resource, change) {
      const account = accountOf(state, owner);
      if (account === undefined) throw new DomainError('not_found', 'The owner is gone.');
      const earlier = change.record && earlierRecord(account, change.record, resource.createdAt);
      if (earlier !== undefined) return earlier;
      const others = ofOwner(owner);
      if (others.length >= rules.limit) throw rules.tooMany();
      rules.reject?.(owner, resource, others);
      if (Object.values(state.resources).some((kind: Owned<Resource>) => kind.has(resource.id))) {
        throw new DomainError('id_taken', 'There is already a resource with this id.');
      }
      const { accountId, websiteId } = owner;
      all.set(resource.id, structuredClone({ owner: { accountId, websiteId }, resource }));
      if (change.record !== undefined) keepRecord(account, change.record);
      audit(state, change);
      deliver(state, change.event);
      return undefined;
    },

    async replace(owner, resource, expected, change) {
      const before = find(owner, resource.id);
      if (before === undefined || !isVersion(before, expected)) return false;
      rules.reject?.(
        owner,
        resource,
        ofOwner(owner).filter(({ id }) => id !== resource.id),
      );
      const { accountId, websiteId } = owner;
      const after = rules.replacing?.(before, resource) ?? resource;
      all.set(resource.id, structuredClone({ owner: { accountId, websiteId }, resource: after }));
      audit(state, change);
      deliver(state, change.event);
      return true;
    },

    async delete(owner, id, expected, change) {
      const before = find(owner, id);
      if (before === undefined || (expected !== undefined && !isVersion(before, expected))) return false;
      rules.rejectDeletion?.(owner, id);
      all.delete(id);
      rules.onDelete?.(id);
      audit(state, change);
      return true;
    },
  };
}

/** The account of an owner, if the owner exists. */
function accountOf(state: State, { accountId, websiteId }: Owner) {
  const account = state.accounts.get(accountId);
  return websiteId === undefined || account?.websites.has(websiteId) ? account : undefined;
}

/** Forgets the resources of owners that are deleted. */
export function forgetResources({ resources }: State, isDeleted: (owner: Owner) => boolean): void {
  for (const kind of Object.values(resources) as Owned<Resource>[]) {
    for (const [id, { owner }] of kind) if (isDeleted(owner)) kind.delete(id);
  }
}

/** Gives the resources of a website to another account. */
export function moveResources({ resources }: State, websiteId: string, accountId: string): void {
  for (const kind of Object.values(resources) as Owned<Resource>[]) {
    for (const [id, { owner, resource }] of kind) {
      if (owner.websiteId === websiteId) kind.set(id, { owner: { accountId, websiteId }, resource });
    }
  }
}
