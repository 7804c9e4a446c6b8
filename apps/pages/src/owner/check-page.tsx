import { type Fault, toldIn } from '@hitherto/domain/base';
import type { TimeZone } from '@hitherto/domain/calendar';
import { formatValue } from '@hitherto/domain/format';
import {
  type CountingSettings,
  compileSettings,
  DIMENSION_TABLE,
  type Explanation,
  explainHit,
  FIRST_HIT_DIMENSIONS,
  firstHitValue,
  type HitDetails,
  type HitLookups,
  readServerHit,
} from '@hitherto/domain/hits';
import type { Website } from '@hitherto/domain/websites';
import { type Form, valueIn } from '../shared/form.ts';
import { useLocale } from '../shared/locale.tsx';
import { TextField } from './field.tsx';

interface CheckFormProps {
  readonly action: string;
  readonly values: CheckValues;
  readonly faults: readonly Fault[];
  readonly explanation: Explanation | undefined;
  /** The cleanup that would hide the visit. */
  readonly hiding: ShownCleanup | undefined;
}

interface ShownCleanup {
  readonly name: string;
  readonly href: string;
}

/** Tells whether a hit would count, and stores nothing. */
export function CheckForm({ action, values, faults, explanation, hiding }: CheckFormProps) {
  const { check } = useLocale().words;
  return (
    <>
      <p>{check.describe}</p>
      <p>
        {check.trackerFirst((text) => (
          <code>{text}</code>
        ))}
      </p>
      {explanation !== undefined && <Outcome explanation={explanation} hiding={hiding} />}
      <form class="settings" method="post" action={action}>
        {CHECK_FIELDS.map((name) => (
          <TextField key={name} name={name} {...check.fields[name]} value={values[name]} faults={faults} type="text" />
        ))}
        <button type="submit">{check.check}</button>
      </form>
    </>
  );
}

function Outcome({ explanation, hiding }: { readonly explanation: Explanation } & Pick<CheckFormProps, 'hiding'>) {
  const { drop, details, removedParameters } = explanation;
  const locale = useLocale();
  const { words } = locale;
  const { check } = words;
  return (
    <section class="card outcome" role="status">
      <h2>{drop === undefined ? check.counted : check.notCounted}</h2>
      <p>{toldIn(words, explanation)}</p>
      {hiding !== undefined && (
        <p>
          {check.hiddenBy(
            <a href={hiding.href}>
              <bdi>{hiding.name}</bdi>
            </a>,
          )}
        </p>
      )}
      {details !== undefined && (
        <dl>
          {knownOf(details).map(([dimension, value]) => (
            <div key={dimension}>
              <dt>{words.dimensions[dimension].one}</dt>
              <dd>{formatValue(locale, dimension, value)}</dd>
            </div>
          ))}
          {removedParameters.length > 0 && (
            <div>
              <dt>{check.leftOut}</dt>
              <dd>
                <code>{removedParameters.map(({ name }) => name).join(', ')}</code>
              </dd>
            </div>
          )}
        </dl>
      )}
    </section>
  );
}

/** The values that would be stored, by dimension. */
function knownOf(details: HitDetails) {
  const shown = FIRST_HIT_DIMENSIONS.filter((dimension) => DIMENSION_TABLE[dimension].card !== undefined);
  return [
    ['page', details.page] as const,
    ...shown.map((dimension) => [dimension, firstHitValue(details, dimension)] as const),
  ].filter(([, value]) => value !== null && value !== '');
}

// The form of "check a visit". Its fields are named as in the API's explain.

const CHECK_FIELDS = ['url', 'ip', 'user_agent', 'referrer', 'language', 'name'] as const;
type CheckField = (typeof CHECK_FIELDS)[number];
export type CheckValues = Readonly<Partial<Record<CheckField, string>>>;

/** The form's names of fields, by the domain's names where they differ. */
const FIELD_NAMES: Readonly<Record<string, string>> = { userAgent: 'user_agent' };

/** The values that were filled in, without spaces at their ends. */
export function readCheckValues(form: Form): CheckValues {
  const values: { [Field in CheckField]?: string } = {};
  for (const field of CHECK_FIELDS) {
    const value = valueIn(form, field)?.trim();
    if (value) values[field] = value;
  }
  return values;
}

/** The outcome of the hit in a form, or the faults of the form. */
export function explainForm(
  { lookups, zone }: { readonly lookups: HitLookups; readonly zone: TimeZone },
  website: Website,
  values: CheckValues,
  now: Date,
): { readonly explanation: Explanation; readonly settings: CountingSettings } | { readonly faults: readonly Fault[] } {
  const { user_agent: userAgent, ...same } = values;
  const read = readServerHit({ ...same, ...(userAgent === undefined ? {} : { userAgent }) }, now);
  if ('hit' in read) {
    const settings = compileSettings(website, zone);
    return { settings, explanation: explainHit(settings, read.hit, lookups) };
  }
  return { faults: read.faults.map((fault) => ({ ...fault, field: FIELD_NAMES[fault.field] ?? fault.field })) };
}
