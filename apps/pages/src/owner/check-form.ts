import {
  type Explanation,
  explainHit,
  type Fault,
  type HitLookups,
  readServerHit,
  type Website,
} from '@hitherto/domain';

// The form of "check a visit". Its fields are named as in the API's explain.

export const CHECK_FIELDS = ['url', 'ip', 'user_agent', 'referrer', 'language', 'name'] as const;
type CheckField = (typeof CHECK_FIELDS)[number];
export type CheckValues = Readonly<Partial<Record<CheckField, string>>>;

/** The form's names of fields, by the domain's names where they differ. */
const FIELD_NAMES: Readonly<Record<string, string>> = { userAgent: 'user_agent' };

export function readCheckValues(body: Readonly<Record<string, unknown>>): CheckValues {
  const values: { [Field in CheckField]?: string } = {};
  for (const field of CHECK_FIELDS) {
    const value = body[field];
    if (typeof value === 'string' && value.trim() !== '') values[field] = value.trim();
  }
  return values;
}

/** What would happen to the hit in a form, or the faults of the form. */
export function explainForm(
  lookups: HitLookups,
  website: Website,
  values: CheckValues,
  now: Date,
): { readonly explanation: Explanation } | { readonly faults: readonly Fault[] } {
  const { user_agent: userAgent, ...same } = values;
  const read = readServerHit({ ...same, ...(userAgent === undefined ? {} : { userAgent }) }, now);
  if ('hit' in read) return { explanation: explainHit(website, read.hit, lookups) };
  return { faults: read.faults.map((fault) => ({ ...fault, field: FIELD_NAMES[fault.field] ?? fault.field })) };
}
