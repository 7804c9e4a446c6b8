import { DIMENSION_TABLE, type Explanation, type Fault, FIRST_HIT_DIMENSIONS, firstHitValue } from '@hitherto/domain';
import { CHECK_FIELDS, type CheckValues } from './check-form.ts';
import { describedBy, Field } from './field.tsx';

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

/** Says what would happen to a hit, and stores nothing. */
export function CheckForm({ action, values, faults, explanation }: CheckFormProps) {
  return (
    <>
      <p>Describe a visit to see whether and how it would be counted. Nothing is stored.</p>
      {explanation !== undefined && <Outcome explanation={explanation} />}
      <form class="settings" method="post" action={action}>
        {CHECK_FIELDS.map((name) => {
          const [label, hint] = LABELS[name];
          return (
            <Field key={name} name={name} label={label} hint={hint} faults={faults}>
              <input id={name} name={name} type="text" value={values[name]} {...describedBy(name, faults)} />
            </Field>
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
        DIMENSION_TABLE[dimension].words.one,
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
