import {
  type AccessRepository,
  type Account,
  type ApiKey,
  isUsable,
  MAX_KEYS_OF_PERSON,
  tooManyKeys,
} from '@hitherto/domain/access';
import { DomainError } from '@hitherto/domain/base';
import type { Member } from '@hitherto/domain/people';
import { audit } from './audit-trail.ts';
import { forgetFindings } from './findings.ts';
import { findMember } from './people/members.ts';
import { forgetReports } from './reports/outbox.ts';
import { forgetResources } from './resources/owned.ts';
import { type State, tellOfChange } from './state.ts';
import { forgetDeliveries } from './webhooks/deliveries.ts';

/** Stores accounts and keys in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createAccessRepository(state: State): AccessRepository {
  return {
    async insertAccount(account, change) {
      if (state.accounts.has(account.id))
        throw new DomainError('id_taken', 'There is already an account with this id.');
      if (findByName(state, account.name) !== undefined) {
        throw nameTaken();
      }
      state.accounts.set(account.id, {
        account: structuredClone(account),
        websites: new Map(),
        idsByAddress: new Map(),
        records: new Map(),
      });
      audit(state, change);
    },

    async listAccounts() {
      const accounts = Array.from(state.accounts.values(), ({ account }) => structuredClone(account));
      return accounts.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
    },

    async findAccount(nameOrId) {
      return structuredClone(state.accounts.get(nameOrId)?.account ?? findByName(state, nameOrId));
    },

    async updateAccount(id, changes, change) {
      const owner = state.accounts.get(id);
      if (owner === undefined) return false;
      const named = changes.name === undefined ? undefined : findByName(state, changes.name);
      if (named !== undefined && named.id !== id) throw nameTaken();
      const { logo, ...others } = structuredClone(changes);
      state.accounts.set(id, { ...owner, account: { ...owner.account, ...others } });
      if (logo === null) state.logos.delete(id);
      else if (logo !== undefined) state.logos.set(id, logo);
      audit(state, change);
      return true;
    },

    async findLogo(name) {
      const having = [...state.accounts.values()].find(({ account: { brand } }) => brand.logo === name);
      return having && structuredClone(state.logos.get(having.account.id));
    },

    async deleteAccount(id) {
      for (const key of state.keys.values()) if (key.accountId === id) deleteKey(state, key.id);
      const { websites } = state.accounts.get(id) ?? {};
      if (!state.accounts.delete(id)) return false;
      state.logos.delete(id);
      state.audit = state.audit.filter(({ accountId }) => accountId !== id);
      state.members = state.members.filter(({ accountId }) => accountId !== id);
      state.invitations = state.invitations.filter(({ accountId }) => accountId !== id);
      for (const [webhookId, { owner }] of state.resources.webhook) {
        if (owner.accountId === id) forgetDeliveries(state, webhookId);
      }
      forgetResources(state, ({ accountId }) => accountId === id);
      for (const websiteId of websites?.keys() ?? []) {
        forgetReports(state, websiteId);
        forgetFindings(state, websiteId);
        state.coverages.delete(websiteId);
        state.deletedWebsites.add(websiteId);
        tellOfChange(state, websiteId);
      }
      return true;
    },

    async insertKey(key, change) {
      const { accountId, member } = key;
      if (
        !state.accounts.has(accountId) ||
        (member !== null && findMember(state, accountId, member.personId) === undefined)
      ) {
        throw new DomainError('not_found', 'The account or the member is gone.');
      }
      const own = member === null ? [] : keysOfPerson(state, member.personId);
      if (own.filter((each) => isUsable(each, key.createdAt)).length >= MAX_KEYS_OF_PERSON) throw tooManyKeys();
      if (state.keys.has(key.id) || findByHash(state, key.hash) !== undefined) {
        throw new DomainError('id_taken', 'There is already a key with this id or hash.');
      }
      state.keys.set(key.id, structuredClone(key));
      audit(state, change);
    },

    async listKeys(accountId) {
      return listed(
        state,
        [...state.keys.values()].filter((key) => key.accountId === accountId),
      );
    },

    async listKeysOfPerson(personId) {
      return listed(state, keysOfPerson(state, personId));
    },

    async findKey(id) {
      return keyIn(state, state.keys.get(id));
    },

    async findKeyByHash(hash) {
      return keyIn(state, findByHash(state, hash));
    },

    async revokeKey(id, now, change) {
      const key = state.keys.get(id);
      if (key === undefined) return false;
      state.keys.set(id, { ...key, revokedAt: key.revokedAt ?? new Date(now) });
      audit(state, change);
      return true;
    },

    async recordKeyUse(uses) {
      for (const [id, usedAt] of uses) {
        const key = state.keys.get(id);
        if (key === undefined || (key.lastUsedAt !== null && usedAt <= key.lastUsedAt)) continue;
        state.keys.set(id, { ...key, lastUsedAt: new Date(usedAt) });
      }
    },
  };
}

/** A copy of a key, with the rights that its member has now. */
export function keyIn<Key extends ApiKey | undefined>(state: State, key: Key): Key {
  if (!key?.member) return structuredClone(key);
  const { role, websiteIds } = findMember(state, key.accountId, key.member.personId) ?? key.member;
  return structuredClone({ ...key, member: { ...key.member, role, websiteIds } });
}

/** Deletes the keys of a member, with their sessions. */
export function deleteKeysOfMember(
  state: State,
  { accountId, personId }: Pick<Member, 'accountId' | 'personId'>,
): void {
  for (const key of keysOfPerson(state, personId)) if (key.accountId === accountId) deleteKey(state, key.id);
}

function keysOfPerson(state: State, personId: string): ApiKey[] {
  return [...state.keys.values()].filter(({ member }) => member?.personId === personId);
}

function listed(state: State, keys: readonly ApiKey[]): ApiKey[] {
  const oldestFirst = keys.toSorted((a, b) => +a.createdAt - +b.createdAt || (a.id > b.id ? 1 : -1));
  return oldestFirst.map((key) => keyIn(state, key));
}

function deleteKey(state: State, id: string): void {
  state.keys.delete(id);
  for (const { hash, of } of state.sessions.values()) if ('keyId' in of && of.keyId === id) state.sessions.delete(hash);
}

function nameTaken(): DomainError {
  return new DomainError('name_taken', 'There is already an account with this name.');
}

function findByName(state: State, name: string): Account | undefined {
  for (const { account } of state.accounts.values()) if (account.name === name) return account;
  return undefined;
}

function findByHash(state: State, hash: string): ApiKey | undefined {
  for (const key of state.keys.values()) if (key.hash === hash) return key;
  return undefined;
}
