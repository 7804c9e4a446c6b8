import { DomainError, NameTaken } from '@hitherto/domain/base';
import {
  DEFINITION_LIMITS,
  type Definition,
  type DefinitionKind,
  type DefinitionRepository,
  tooManyDefinitions,
} from '@hitherto/domain/definitions';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { note } from './audit-trail.ts';
import { earlierRecord, keepRecord } from './idempotency-repository.ts';
import { rejectUsedSegment } from './link-repository.ts';
import { type AccountState, type DefinitionsOfWebsite, hasDefinition, type State } from './state.ts';

/** Stores definitions in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createDefinitionRepository(state: State): DefinitionRepository {
  const accountOf = ({ accountId, websiteId }: WebsiteKey): AccountState | undefined => {
    const account = state.accounts.get(accountId);
    return account?.websites.has(websiteId) ? account : undefined;
  };

  const definitionsOf = <Kind extends DefinitionKind>(kind: Kind, website: WebsiteKey) =>
    accountOf(website)?.definitions.get(website.websiteId)?.[kind];

  return {
    async list(kind, website) {
      if (accountOf(website) === undefined) return undefined;
      return structuredClone([...(definitionsOf(kind, website)?.values() ?? [])]);
    },

    async size(kind, website) {
      const contents = [...(definitionsOf(kind, website)?.values() ?? [])].map(({ content }) =>
        JSON.stringify(content),
      );
      return Buffer.byteLength(contents.join(''));
    },

    async find(kind, website, ids) {
      const found = [...(definitionsOf(kind, website)?.values() ?? [])].filter(({ id }) => ids.includes(id));
      return structuredClone(found);
    },

    async insert(kind, website, definition, change) {
      const account = accountOf(website);
      if (account === undefined) throw new DomainError('not_found', 'The website is gone.');
      const earlier = change.record && earlierRecord(account, change.record, definition.createdAt);
      if (earlier !== undefined) return earlier;
      const all = account.definitions.get(website.websiteId) ?? noDefinitions();
      if (all[kind].size >= DEFINITION_LIMITS[kind]) throw tooManyDefinitions(kind);
      rejectTaken(all[kind], definition);
      if (hasDefinition(state, definition.id)) {
        throw new DomainError('id_taken', 'There is already a definition with this id.');
      }
      all[kind].set(definition.id, structuredClone(definition));
      account.definitions.set(website.websiteId, all);
      if (change.record !== undefined) keepRecord(account, change.record);
      note(state, change);
      return undefined;
    },

    async replace(kind, website, definition, expected, change) {
      const all = definitionsOf(kind, website);
      if (all?.get(definition.id)?.updatedAt.getTime() !== expected.getTime()) return false;
      rejectTaken(all, definition);
      all.set(definition.id, structuredClone(definition));
      note(state, change);
      return true;
    },

    async delete(kind, website, id, expected, change) {
      const account = accountOf(website);
      const all = definitionsOf(kind, website);
      const current = all?.get(id);
      if (account === undefined || all === undefined || current === undefined) return false;
      if (expected !== undefined && current.updatedAt.getTime() !== expected.getTime()) return false;
      if (kind === 'segment') rejectUsedSegment(account, website.websiteId, id);
      note(state, change);
      return all.delete(id);
    },
  };
}

function noDefinitions(): DefinitionsOfWebsite {
  return { segment: new Map(), goal: new Map(), funnel: new Map() };
}

function rejectTaken(all: ReadonlyMap<string, Definition>, { id, name }: Definition): void {
  for (const other of all.values()) if (other.name === name && other.id !== id) throw new NameTaken(other.id);
}
