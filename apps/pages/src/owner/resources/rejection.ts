import { DomainError, type DomainErrorCode, type Fault, InvalidFields, NameTaken, toldIn } from '@hitherto/domain/base';
import type { Locale } from '@hitherto/words';
import { isStale } from './versions.ts';

/** Why a form was not saved, or nothing was deleted. */
export interface Rejection {
  readonly status: 409 | 422;
  readonly faults: readonly Fault[];
  /** A reason that is about no field. */
  readonly reason?: string;
}

/** Errors whose messages say what to do. */
const EXPLAINED: ReadonlySet<DomainErrorCode> = new Set([
  'segment_in_use',
  'no_secret_key',
  'webhook_inactive',
  'cleanup_busy',
]);

/** The message of a form about an error; `undefined` if it has nothing to do with the form. */
export function rejectionOf(error: unknown, kind: string, { words }: Locale): Rejection | undefined {
  if (error instanceof InvalidFields) return { status: 422, faults: error.faults };
  if (error instanceof NameTaken) {
    return { status: 422, faults: [{ field: 'name', code: 'not_allowed', detail: words.resources.nameTaken }] };
  }
  if (isStale(error)) return { status: 409, faults: [], reason: words.resources.stale };
  if (isFull(error, kind)) return { status: 422, faults: [], reason: toldIn(words, error) };
  if (!(error instanceof DomainError) || !EXPLAINED.has(error.code)) return undefined;
  return { status: 409, faults: [], reason: toldIn(words, error) };
}

/** Whether the owner has as many resources of the kind as it may have. */
export function isFull(error: unknown, kind: string): error is DomainError {
  return error instanceof DomainError && error.code === `too_many_${kind}s`;
}

/** The result of `parse`. Throws `InvalidFields` with these faults and its own. */
export function parseWith<Parsed>(faults: readonly Fault[], parse: () => Parsed): Parsed {
  let parsed: Parsed;
  try {
    parsed = parse();
  } catch (error) {
    if (error instanceof InvalidFields) throw new InvalidFields([...error.faults, ...faults]);
    throw error;
  }
  if (faults.length > 0) throw new InvalidFields(faults);
  return parsed;
}
