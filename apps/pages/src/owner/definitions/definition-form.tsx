import type { Fault } from '@hitherto/domain/base';
import type { Period } from '@hitherto/domain/calendar';
import type { DefinitionKind } from '@hitherto/domain/definitions';
import { formatPeriod } from '@hitherto/domain/format';
import type { ComponentChildren, JSX } from 'preact';
import { describedBy, Field } from '../field.tsx';
import type { FormFields } from './definition-pages.ts';

interface DefinitionFormProps {
  readonly kind: DefinitionKind;
  readonly action: string;
  readonly fields: FormFields;
  readonly faults: readonly Fault[];
  /** Why nothing was saved, if that is about no field. */
  readonly reason: string | undefined;
  /** The stored definition, if it differs from the one that the form showed. */
  readonly now: JSX.Element | undefined;
  /** Of the stored definition, if there is one. */
  readonly version: string | undefined;
  readonly preview: { readonly period: Period; readonly numbers: JSX.Element } | undefined;
  readonly canWrite: boolean;
  /** The controls for everything but the name; absent if the form cannot show the definition. */
  readonly children: ComponentChildren;
}

/** Creates or changes a definition, and tells beforehand how often it happened. */
export function DefinitionForm(props: DefinitionFormProps) {
  const { kind, action, fields, faults, version, preview, canWrite, children } = props;
  return (
    <>
      <h2>{version === undefined ? `Add a ${kind}` : `Change this ${kind}`}</h2>
      {preview !== undefined && (
        <section class="card outcome" role="status">
          <h2>In the last 28 days, {formatPeriod(preview.period.from, preview.period.to)}</h2>
          {preview.numbers}
        </section>
      )}
      {children === undefined ? (
        <p class="notice">
          This {kind} has line breaks, spaces or other characters in places where this form would change them.{' '}
          {version === undefined ? 'Add' : 'Change'} it through the API.
        </p>
      ) : (
        <form class="settings" method="post" action={action}>
          <Alert {...props} />
          {version !== undefined && <input type="hidden" name="version" value={version} />}
          <fieldset class="all" disabled={!canWrite}>
            <Field name="name" label="Name" faults={faults}>
              <input
                id="name"
                name="name"
                dir="auto"
                value={fields.name}
                required
                autocomplete="off"
                {...describedBy('name', faults, false)}
              />
            </Field>
            {children}
            <div class="buttons">
              <button type="submit">Save</button>
              <button class="plain" type="submit" name="action" value="preview" formnovalidate>
                Preview
              </button>
            </div>
          </fieldset>
        </form>
      )}
    </>
  );
}

/** Why the form is shown again. */
function Alert({ fields, faults, reason, now }: DefinitionFormProps) {
  const outcome = fields.action === 'preview' ? 'There is no preview' : 'Nothing was saved';
  if (reason !== undefined) {
    return (
      <div class="fault" role="alert">
        <p>
          {outcome}. {reason}
        </p>
        {now !== undefined && <p>It is now: {now}. Save again to replace this.</p>}
      </div>
    );
  }
  if (faults.length === 0) return null;
  return (
    <p class="fault" role="alert">
      {outcome}: {faults.length === 1 ? 'one field is' : 'some fields are'} not valid.
    </p>
  );
}
