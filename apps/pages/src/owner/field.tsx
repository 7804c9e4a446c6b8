import type { Fault } from '@hitherto/domain/base';
import type { ComponentChildren } from 'preact';

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly faults: readonly Fault[];
  /** The control; it is described by {@link describedBy}. */
  readonly children: ComponentChildren;
}

/** A control with its label, hint and faults. */
export function Field({ name, label, hint, faults, children }: FieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
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

/** The faults of one field, each on its own line. */
export function Faults({ name, faults }: { readonly name: string; readonly faults: readonly Fault[] }) {
  const own = faultsOf(name, faults);
  if (own.length === 0) return null;
  return (
    <ul class="fault" id={`${name}-fault`}>
      {own.map(({ detail, line, code }) => (
        <li key={`${line} ${code}`}>{detail}</li>
      ))}
    </ul>
  );
}

/** The attributes that tie a control to its hint and faults. */
export function describedBy(name: string, faults: readonly Fault[], hasHint = true) {
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
