import { isDeepStrictEqual } from 'node:util';
import type { AuditChange } from './entry.ts';

/** The fields of something by name; an absent one is as good as `null`. */
type Fields = Readonly<Record<string, unknown>>;

/** Each field that differs: lists of strings by their lines, all others by their values. */
export function changesOf(before: Fields, after: Fields): AuditChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((field): AuditChange[] => {
    const [one, other] = [before[field] ?? null, after[field] ?? null];
    if (isDeepStrictEqual(one, other)) return [];
    if (!isList(one ?? []) || !isList(other ?? [])) return [{ field, before: one, after: other }];
    return [{ field, ...linesOf(toList(one), toList(other)) }];
  });
}

/** How a secret was changed, of which only hashes may be known. */
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

function toList(value: unknown): readonly string[] {
  return isList(value) ? value : [];
}
