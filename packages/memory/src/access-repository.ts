import type { AccessRepository, Account, ApiKey } from '@hitherto/domain/access';
import { DomainError } from '@hitherto/domain/base';
import { audit } from './audit-trail.ts';
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
      state.accounts.set(id, { ...owner, account: { ...owner.account, ...structuredClone(changes) } });
      audit(state, change);
      return true;
    },

    async deleteAccount(id) {
      for (const key of state.keys.values()) if (key.accountId === id) deleteKey(state, key.id);
      const { websites } = state.accounts.get(id) ?? {};
      if (!state.accounts.delete(id)) return false;
      state.audit = state.audit.filter(({ accountId }) => accountId !== id);
      state.members = state.members.filter(({ accountId }) => accountId !== id);
      state.invitations = state.invitations.filter(({ accountId }) => accountId !== id);
      for (const [webhookId, { owner }] of state.resources.webhook) {
        if (owner.accountId === id) forgetDeliveries(state, webhookId);
      }
      forgetResources(state, ({ accountId }) => accountId === id);
      for (const websiteId of websites?.keys() ?? []) {
        forgetReports(state, websiteId);
        state.deletedWebsites.add(websiteId);
        tellOfChange(state, websiteId);
      }
      return true;
    },

    async insertKey(key, change) {
      if (!state.accounts.has(key.accountId)) throw new DomainError('not_found', 'The account is gone.');
      if (state.keys.has(key.id) || findByHash(state, key.hash) !== undefined) {
        throw new DomainError('id_taken', 'There is already a key with this id or hash.');
      }
      state.keys.set(key.id, structuredClone(key));
      audit(state, change);
    },

    async listKeys(accountId) {
      const keys = [...state.keys.values()].filter((key) => key.accountId === accountId);
      return structuredClone(keys.sort((a, b) => +a.createdAt - +b.createdAt || (a.id > b.id ? 1 : -1)));
    },

    async findKey(id) {
      return structuredClone(state.keys.get(id));
    },

    async findKeyByHash(hash) {
      return structuredClone(findByHash(state, hash));
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
