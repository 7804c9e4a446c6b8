import type { Account, ApiKey, Session } from '@hitherto/domain/access';
import type { Annotation } from '@hitherto/domain/annotations';
import type { AuditEntry, IdempotencyRecord } from '@hitherto/domain/changes';
import type { Definition, DefinitionKind } from '@hitherto/domain/definitions';
import type { SharedLink } from '@hitherto/domain/links';
import type { TaskKind, TaskRecord } from '@hitherto/domain/tasks';
import type { Webhook } from '@hitherto/domain/webhooks';
import type { Website } from '@hitherto/domain/websites';
import type { StoredAlert } from './alert-repository.ts';
import type { StoredDelivery } from './webhooks/deliveries.ts';

/** The segments, goals and funnels of a website, by id, in the order of their insertion. */
export type DefinitionsOfWebsite = { readonly [Kind in DefinitionKind]: Map<string, Definition<Kind>> };

/** An account and everything it owns, except its keys. */
export interface AccountState {
  readonly account: Account;
  /** By id. */
  readonly websites: Map<string, Website>;
  /** The ids of the websites by address, which holds each address once. */
  readonly idsByAddress: Map<string, string>;
  /** By the id of the website; absent for none. */
  readonly definitions: Map<string, DefinitionsOfWebsite>;
  /** By the id of the website, then by their own, in the order of their insertion; absent for none. */
  readonly links: Map<string, Map<string, SharedLink>>;
  /** The same. */
  readonly annotations: Map<string, Map<string, Annotation>>;
  /** By id, in the order of their insertion. */
  readonly webhooks: Map<string, Webhook>;
  /** By id, in the order of their insertion. */
  readonly alerts: Map<string, StoredAlert>;
  /** By the hash of the `Idempotency-Key`. */
  readonly records: Map<string, IdempotencyRecord>;
}

/** A task and its state. */
export interface Task extends TaskRecord {
  readonly kind: TaskKind;
  readonly websiteId: string;
  readonly failures: number;
  readonly payload: unknown;
  /** When it is due; a claim moves it to the end of its lease. */
  readonly dueAt: Date;
}

/** When a website was given its names, as numbers in the order of time. */
export interface NamedSince {
  readonly address: number;
  readonly host: number;
  readonly aliases: ReadonlyMap<string, number>;
}

/** The state that all repositories share, so that deleting an account deletes everything it owns. */
export interface State {
  /** By id. */
  accounts: Map<string, AccountState>;
  /** By the id of the website. */
  namedSince: Map<string, NamedSince>;
  /** How often websites were named: the order of their names. */
  namings: number;
  /** By id. */
  keys: Map<string, ApiKey>;
  /** The audit trail, in the order of the changes. */
  audit: AuditEntry[];
  /** The ids of deleted websites with hits or statistics. */
  readonly deletedWebsites: Set<string>;
  /** By hash. */
  readonly sessions: Map<string, Session>;
  /** By the id of the website; absent for 0. */
  readonly lockVersions: Map<string, number>;
  /** Since when websites have reports, by id. */
  reportsSince: Map<string, Date>;
  /** By kind, website and key. */
  readonly tasks: Map<string, Task>;
  /** In the order of their insertion. */
  deliveries: StoredDelivery[];
  /** By purpose. */
  readonly secrets: Map<string, Uint8Array>;
  /** By purpose. */
  readonly localSecrets: Map<string, Uint8Array>;
  /** Listeners for the ids of changed and deleted websites. */
  readonly changeListeners: Set<(id: string) => void>;
}

/** The website with this id, of any account. */
export function findWebsite(state: State, id: string): Website | undefined {
  for (const { websites } of state.accounts.values()) {
    const website = websites.get(id);
    if (website !== undefined) return website;
  }
  return undefined;
}

/** Whether any account has a website with this id. */
export function hasWebsite(state: State, id: string): boolean {
  return findWebsite(state, id) !== undefined;
}

/** Whether any website has a definition with this id. */
export function hasDefinition(state: State, id: string): boolean {
  for (const { definitions } of state.accounts.values()) {
    for (const { segment, goal, funnel } of definitions.values()) {
      if (segment.has(id) || goal.has(id) || funnel.has(id)) return true;
    }
  }
  return false;
}

/** Whether any website has a link with this id or token. */
export function hasLink(state: State, { id, tokenHash }: SharedLink): boolean {
  for (const { links } of state.accounts.values()) {
    for (const ofWebsite of links.values()) {
      for (const link of ofWebsite.values()) if (link.id === id || link.tokenHash === tokenHash) return true;
    }
  }
  return false;
}

/** Whether any website has an annotation with this id. */
export function hasAnnotation(state: State, id: string): boolean {
  for (const { annotations } of state.accounts.values()) {
    for (const ofWebsite of annotations.values()) if (ofWebsite.has(id)) return true;
  }
  return false;
}

/** Whether any website has an alert with this id. */
export function hasAlert(state: State, id: string): boolean {
  return [...state.accounts.values()].some(({ alerts }) => alerts.has(id));
}

/** Whether any account has a webhook with this id. */
export function hasWebhook(state: State, id: string): boolean {
  return [...state.accounts.values()].some(({ webhooks }) => webhooks.has(id));
}

/** Notifies all listeners that the website was changed or deleted. */
export function tellOfChange(state: State, id: string): void {
  for (const listener of state.changeListeners) listener(id);
}

/** An empty state. */
export function emptyState(): State {
  return {
    namedSince: new Map(),
    namings: 0,
    accounts: new Map(),
    keys: new Map(),
    audit: [],
    deletedWebsites: new Set(),
    sessions: new Map(),
    lockVersions: new Map(),
    reportsSince: new Map(),
    tasks: new Map(),
    deliveries: [],
    secrets: new Map(),
    localSecrets: new Map(),
    changeListeners: new Set(),
  };
}
