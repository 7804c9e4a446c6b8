import { isDeepStrictEqual } from 'node:util';

/**
 * Who changed something: a person, a key in a request, a browser that is signed in with a key, a command, a link in a mail, or
 * the groups of a sign-in provider.
 */
export interface Actor {
  readonly type: 'person' | 'key' | 'session' | 'command_line' | 'unsubscribe_link' | 'confirm_link' | 'provider';
  /** The id of the person or the key; `null` for others. */
  readonly id: string | null;
  /** The name that the person, or the label that the key had then. */
  readonly label: string | null;
}

/** Who makes changes, and by which request. */
export interface Author {
  readonly actor: Actor;
  readonly requestId: string | null;
  /** The client's network where the change came by HTTP: the /24 of an IPv4, the /48 of an IPv6 address. */
  readonly network: string | null;
}

/** The dependency of every use case that changes something. */
export interface Authored {
  readonly author: Author;
}

/** The kind of object that an entry is about. */
export type AuditSubjectType =
  | 'account'
  | 'key'
  | 'website'
  | 'segment'
  | 'goal'
  | 'funnel'
  | 'link'
  | 'annotation'
  | 'cleanup'
  | 'recipient'
  | 'alert'
  | 'webhook'
  | 'import'
  | 'member'
  | 'invitation';

/** The kind of the object, and what happened to it (api.md, "Changes"). */
export type AuditAction =
  | `${AuditSubjectType}.${'created' | 'updated' | 'deleted'}`
  | `${'key' | 'link'}.revoked`
  | 'cleanup.erased'
  | 'website.moved';

/** A value of a field: plain JSON, in the domain's words. */
export type AuditValue = unknown;

/** How a field was changed. Of secrets it says only that they were. */
export type AuditChange =
  | { readonly field: string; readonly before: AuditValue; readonly after: AuditValue }
  | { readonly field: string; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly field: string; readonly change: 'set' | 'changed' | 'removed' };

/** A change that was made to the settings of an account (api.md, "Changes"). */
export interface AuditEntry extends Author {
  /** UUIDv7. */
  readonly id: string;
  readonly accountId: string;
  readonly at: Date;
  readonly action: AuditAction;
  /** `null` for changes to the account, its keys and its webhooks. */
  readonly websiteId: string | null;
  /** The changed object, with its name after the change: the address of a website, the label of a key. */
  readonly subject: { readonly id: string; readonly name: string | null };
  readonly changes: readonly AuditChange[];
}

/** The author of a change that an operator made on the command line, or the program at its first start. */
export const COMMAND_LINE: Author = {
  actor: { type: 'command_line', id: null, label: null },
  requestId: null,
  network: null,
};

interface EntryDependencies extends Authored {
  readonly now: () => Date;
  /** A new UUIDv7. */
  readonly newId: () => string;
}

/** An entry about a change that is made now. */
export function makeEntry(
  { author, now, newId }: EntryDependencies,
  about: Pick<AuditEntry, 'accountId' | 'action' | 'websiteId' | 'subject' | 'changes'>,
): AuditEntry {
  const { actor, requestId, network } = author;
  return { id: newId(), at: now(), actor, requestId, network, ...about };
}

/** Whether a change created, updated or deleted something. */
export function verbOf(before: object | undefined, after: object | undefined): 'created' | 'updated' | 'deleted' {
  if (before === undefined) return 'created';
  return after === undefined ? 'deleted' : 'updated';
}

/** The fields of something by name; those of something that was created or deleted are absent before or after. */
type Fields = Readonly<Record<string, unknown>>;

/** Each field that differs: lists of strings by their lines, all others by their values, with `null` for an absent one. */
export function changesOf(before: Fields, after: Fields): AuditChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((field): AuditChange[] => {
    const [one, other] = [before[field] ?? null, after[field] ?? null];
    if (isDeepStrictEqual(one, other)) return [];
    // Unlike an absent list, `null` is a value: all websites of a webhook.
    const [had = [], has = []] = [before[field], after[field]];
    if (!isList(had) || !isList(has)) return [{ field, before: one, after: other }];
    return [{ field, ...linesOf(had, has) }];
  });
}

/** How a secret was changed. The values may be hashes. */
export function secretChange(field: string, before: string | null, after: string | null): AuditChange[] {
  if (before === after) return [];
  if (before === null) return [{ field, change: 'set' }];
  return [{ field, change: after === null ? 'removed' : 'changed' }];
}

function linesOf(before: readonly string[], after: readonly string[]) {
  const [had, has] = [new Set(before), new Set(after)];
  return { added: after.filter((line) => !had.has(line)), removed: before.filter((line) => !has.has(line)) };
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((line) => typeof line === 'string');
}
