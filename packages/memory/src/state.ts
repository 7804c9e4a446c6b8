import type { Account, ApiKey } from '@hitherto/domain/access';
import type { Day } from '@hitherto/domain/calendar';
import type { AuditEntry, IdempotencyRecord } from '@hitherto/domain/changes';
import type { CoverageReport } from '@hitherto/domain/insight';
import type {
  Invitation,
  Member,
  NewApp,
  Passkey,
  PendingSignIn,
  Person,
  PersonLink,
  Session,
} from '@hitherto/domain/people';
import type { TaskKind, TaskRecord } from '@hitherto/domain/tasks';
import type { Website } from '@hitherto/domain/websites';
import type { StoredFinding } from './findings.ts';
import type { StoredSubscription } from './people/subscription-repository.ts';
import type { AlertCheck } from './resources/alerts.ts';
import type { OwnedResources } from './resources/owned.ts';
import type { StoredDelivery } from './webhooks/deliveries.ts';

/** An account, its websites and records of its requests. */
export interface AccountState {
  readonly account: Account;
  /** By id. */
  readonly websites: Map<string, Website>;
  /** The ids of the websites by address, which holds each address once. */
  readonly idsByAddress: Map<string, string>;
  /** By the hash of the `Idempotency-Key`. */
  readonly records: Map<string, IdempotencyRecord>;
}

/** A task and its state. */
export interface Task extends TaskRecord {
  readonly kind: TaskKind;
  readonly websiteId: string | null;
  readonly failures: number;
  readonly payload: unknown;
  readonly token: string | undefined;
  /** When it is due; a claim moves it to the end of its lease. */
  readonly dueAt: Date;
}

/** When a website was given its names, as numbers in the order of time. */
interface NamedSince {
  readonly address: number;
  readonly host: number;
  readonly aliases: ReadonlyMap<string, number>;
}

/** The state that all repositories share, so that deleting an account deletes everything it owns. */
export interface State {
  /** By id. */
  accounts: Map<string, AccountState>;
  /** The content of the logos, by the id of the account. */
  readonly logos: Map<string, Uint8Array>;
  readonly resources: OwnedResources;
  /** When addresses were last asked to confirm, as they are compared. */
  readonly askedAddresses: Map<string, Date>;
  /** By the id of the alert. */
  readonly alertChecks: Map<string, AlertCheck>;
  /** By their ids. */
  readonly findings: Map<string, StoredFinding>;
  /** The last ones last, by the id of the website. */
  readonly coverages: Map<string, readonly CoverageReport[]>;
  /** The last day that was checked, by the id of the website. */
  readonly checkedDays: Map<string, Day>;
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
  /** By id. */
  readonly people: Map<string, Person>;
  members: Member[];
  invitations: Invitation[];
  personLinks: PersonLink[];
  subscriptions: StoredSubscription[];
  /** When people last used the pages, by id. */
  readonly lastUses: Map<string, Date>;
  /** By hash. */
  readonly sessions: Map<string, Session>;
  /** By hash. */
  readonly pendingSignIns: Map<string, PendingSignIn & { readonly tries: number }>;
  /** By id. */
  readonly passkeys: Map<string, Passkey>;
  /** By the id of the person. */
  readonly secondFactors: Map<string, Omit<NewApp, 'personId'> & { readonly recoveryHashes: readonly string[] }>;
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

/** Notifies all listeners that the website was changed or deleted. */
export function tellOfChange(state: State, id: string): void {
  for (const listener of state.changeListeners) listener(id);
}

/** An empty state. */
export function emptyState(): State {
  return {
    resources: {
      segment: new Map(),
      goal: new Map(),
      funnel: new Map(),
      link: new Map(),
      annotation: new Map(),
      cleanup: new Map(),
      recipient: new Map(),
      alert: new Map(),
      webhook: new Map(),
    },
    alertChecks: new Map(),
    findings: new Map(),
    coverages: new Map(),
    checkedDays: new Map(),
    namedSince: new Map(),
    namings: 0,
    accounts: new Map(),
    logos: new Map(),
    askedAddresses: new Map(),
    keys: new Map(),
    audit: [],
    deletedWebsites: new Set(),
    people: new Map(),
    members: [],
    invitations: [],
    personLinks: [],
    subscriptions: [],
    lastUses: new Map(),
    sessions: new Map(),
    pendingSignIns: new Map(),
    secondFactors: new Map(),
    passkeys: new Map(),
    lockVersions: new Map(),
    reportsSince: new Map(),
    tasks: new Map(),
    deliveries: [],
    secrets: new Map(),
    localSecrets: new Map(),
    changeListeners: new Set(),
  };
}
