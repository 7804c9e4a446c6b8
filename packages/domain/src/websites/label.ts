import { type Fault, inWords } from '../base/errors.ts';

const MAX_LABEL_LENGTH = 64;

/** A label without spaces at its ends, or its fault. An empty one means none. */
export function readLabel(
  sent: string | null,
): { readonly value: string | null } | { readonly fault: Omit<Fault, 'field'> } {
  const label = sent?.trim() ?? '';
  if ([...label].length > MAX_LABEL_LENGTH) {
    return { fault: { code: 'too_long', ...inWords(({ faults }) => faults.websites.longLabel(MAX_LABEL_LENGTH)) } };
  }
  if (/[\p{Cc}\p{Cs}]/u.test(label)) {
    return { fault: { code: 'not_allowed', ...inWords(({ faults }) => faults.websites.label) } };
  }
  return { value: label === '' ? null : label };
}
