import type { WireFault } from '@hitherto/http';

/** A NUL or a lone surrogate: PostgreSQL stores neither. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/**
 * The texts among the fields that no stored text can equal. This is not a pattern of the schemas, because the regular
 * expressions of Python and Java have no such pattern, and generators refuse it.
 *
 * @param known the faults that were found before; their fields get no second one
 */
export function textFaults(fields: object, known: readonly WireFault[]): WireFault[] {
  const faulty = new Set(known.map(({ field }) => field));
  return Object.entries(fields)
    .filter(([field, value]) => !faulty.has(field) && typeof value === 'string' && UNSTORABLE.test(value))
    .map(([field]) => ({
      field,
      code: 'not_allowed',
      detail: 'This contains a NUL or a lone surrogate, which cannot be stored.',
    }));
}
