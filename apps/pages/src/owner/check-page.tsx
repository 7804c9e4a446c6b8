import type { Fault } from '@hitherto/domain/base';
import type { TimeZone } from '@hitherto/domain/calendar';
import {
  compileSettings,
  DIMENSION_TABLE,
  type Explanation,
  explainHit,
  FIRST_HIT_DIMENSIONS,
  firstHitValue,
  type HitLookups,
  readServerHit,
} from '@hitherto/domain/hits';
import type { Website } from '@hitherto/domain/websites';
import { ENGLISH } from '@hitherto/words';
import { type Form, valueIn } from '../shared/form.ts';
import { TextField } from './field.tsx';

const LABELS = {
  url: ['Address of the page', 'Absolute, such as https://example.com/a?utm_source=news'],
  referrer: ['Referrer', 'The page that the visitor came from; may be empty.'],
  ip: ['IP address', 'The address of the visitor.'],
  user_agent: ['User agent', 'As the browser sends it; empty counts as a bot.'],
  language: ['Language', 'As in Accept-Language; may be empty.'],
  name: ['Event', 'The name of an event; empty for a pageview.'],
} as const;

interface CheckFormProps {
  readonly action: string;
  readonly values: CheckValues;
  readonly faults: readonly Fault[];
  readonly explanation: Explanation | undefined;
}

/** Tells whether a hit would count, and stores nothing. */
export function CheckForm({ action, values, faults, explanation }: CheckFormProps) {
  return (
    <>
      <p>Describe a visit to see whether and how it would be counted. Nothing is stored.</p>
      <p>
        The tracker decides first: it sends nothing from local pages without <code>data-local</code>, from files (
        <code>file:</code>), or in a browser whose <code>localStorage</code> has <code>hitherto-ignore</code>. If a
        program drives the browser, it says so, and the visit counts as one of a bot.
      </p>
      {explanation !== undefined && <Outcome explanation={explanation} />}
      <form class="settings" method="post" action={action}>
        {CHECK_FIELDS.map((name) => {
          const [label, hint] = LABELS[name];
          return (
            <TextField
              key={name}
              name={name}
              label={label}
              hint={hint}
              value={values[name]}
              faults={faults}
              type="text"
            />
          );
        })}
        <button type="submit">Check</button>
      </form>
    </>
  );
}

function Outcome({ explanation: { drop, detail, details, removedParameters } }: { readonly explanation: Explanation }) {
  const removed = removedParameters.map(({ name }) => name).join(', ');
  const facts = details && {
    Page: details.page,
    'Parameters left out': removed,
    ...Object.fromEntries(
      FIRST_HIT_DIMENSIONS.filter((dimension) => DIMENSION_TABLE[dimension].card !== undefined).map((dimension) => [
        ENGLISH.words.dimensions[dimension].one,
        firstHitValue(details, dimension),
      ]),
    ),
  };
  return (
    <section class="card outcome" role="status">
      <h2>{drop === undefined ? 'It would be counted' : 'It would not be counted'}</h2>
      <p>{detail}</p>
      {facts !== undefined && (
        <dl>
          {Object.entries(facts).map(
            ([name, value]) =>
              value !== null &&
              value !== '' && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
      )}
    </section>
  );
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
): { readonly explanation: Explanation } | { readonly faults: readonly Fault[] } {
  const { user_agent: userAgent, ...same } = values;
  const read = readServerHit({ ...same, ...(userAgent === undefined ? {} : { userAgent }) }, now);
  if ('hit' in read) return { explanation: explainHit(compileSettings(website, zone), read.hit, lookups) };
  return { faults: read.faults.map((fault) => ({ ...fault, field: FIELD_NAMES[fault.field] ?? fault.field })) };
}
