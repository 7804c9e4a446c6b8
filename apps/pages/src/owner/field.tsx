import { type Fault, toldIn } from '@hitherto/domain/base';
import type { ComponentChildren, JSX } from 'preact';
import { useLocale } from '../shared/locale.tsx';

interface FieldProps {
  readonly name: string;
  /** Of the control, where the page has several of the name. */
  readonly id?: string | undefined;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly faults: readonly Fault[];
  /** The control. */
  readonly children: ComponentChildren;
}

/** A control with its label, hint and faults. */
function Field({ name, id = name, label, hint, faults, children }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      <Faults name={name} faults={faults} />
    </div>
  );
}

interface ControlProps extends Omit<FieldProps, 'children'> {
  readonly value?: string | undefined;
}

/** All that fields set themselves, of each of several types of attributes. */
type Others<Attributes> = Attributes extends unknown ? Omit<Attributes, keyof ControlProps | 'ref'> : never;

/** A field of one line; children stand below the control. */
export function TextField(props: ControlProps & Others<JSX.IntrinsicElements['input']>) {
  const { name, id = name, label, hint, value, faults, children, ...attributes } = props;
  return (
    <Field name={name} id={id} label={label} hint={hint} faults={faults}>
      <input id={id} name={name} value={value} {...attributes} {...describedBy(name, faults, hint !== undefined)} />
      {children}
    </Field>
  );
}

/** A field of several lines. */
export function TextAreaField(props: ControlProps & Others<JSX.IntrinsicElements['textarea']>) {
  const { name, label, hint, value = '', faults, ...attributes } = props;
  return (
    <Field name={name} label={label} hint={hint} faults={faults}>
      <textarea
        id={name}
        name={name}
        spellcheck={false}
        // Browsers leave out a line break at the beginning.
        value={/^[\r\n]/.test(value) ? `\n${value}` : value}
        {...attributes}
        {...describedBy(name, faults, hint !== undefined)}
      />
    </Field>
  );
}

interface SelectFieldProps extends ControlProps {
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A choice among options. */
export function SelectField({ name, label, hint, value, faults, options }: SelectFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} faults={faults}>
      <select id={name} name={name} {...describedBy(name, faults, hint !== undefined)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** The faults of one field, each on its own line. */
export function Faults({ name, faults }: { readonly name: string; readonly faults: readonly Fault[] }) {
  const { words } = useLocale();
  const own = faultsOf(name, faults);
  if (own.length === 0) return null;
  return (
    <ul class="fault" id={`${name}-fault`}>
      {own.map((fault) => (
        <li key={`${fault.line} ${fault.code}`}>{toldIn(words, fault)}</li>
      ))}
    </ul>
  );
}

/** The attributes that tie a control to its hint and faults. */
function describedBy(name: string, faults: readonly Fault[], hasHint: boolean) {
  const isFaulty = faultsOf(name, faults).length > 0;
  const ids = [...(hasHint ? [`${name}-hint`] : []), ...(isFaulty ? [`${name}-fault`] : [])];
  return {
    'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
    'aria-invalid': isFaulty ? ('true' as const) : undefined,
  };
}

function faultsOf(name: string, faults: readonly Fault[]): Fault[] {
  return faults.filter(({ field }) => field === name);
}
