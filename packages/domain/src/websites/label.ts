import type { Fault } from '../base/errors.ts';

const MAX_LABEL_LENGTH = 64;

/** A label without spaces at its ends, or its fault. An empty one means none. */
export function readLabel(
  sent: string | null,
): { readonly value: string | null } | { readonly fault: Pick<Fault, 'code' | 'detail'> } {
  const label = sent?.trim() ?? '';
  if ([...label].length > MAX_LABEL_LENGTH) {
    return { fault: { code: 'too_long', detail: `A label must have at most ${MAX_LABEL_LENGTH} characters.` } };
  }
  if (/[\p{Cc}\p{Cs}]/u.test(label)) {
    return { fault: { code: 'not_allowed', detail: 'A label must have no control characters.' } };
  }
  return { value: label === '' ? null : label };
}
