import type { ComponentChildren } from 'preact';
import type { ShownForm } from './resource-pages.ts';

interface ResourceFormProps {
  readonly kind: string;
  readonly action: string;
  readonly form: ShownForm;
  readonly class?: string | undefined;
  /** The button that saves it. */
  readonly submit: string;
  readonly hasPreview: boolean;
  /** Whether it is on a page of its own, which then says why nothing was saved, and is shown to people who may not write. */
  readonly isPage: boolean;
  readonly canWrite: boolean;
  /** The controls. */
  readonly children: ComponentChildren;
}

/** Creates or changes a resource. */
export function ResourceForm(props: ResourceFormProps) {
  const { kind, action, form, submit, hasPreview, isPage, canWrite, children } = props;
  const { fields, id, version } = form;
  if (fields === undefined) {
    return (
      <p class="notice">
        This {kind} has line breaks, spaces or other characters in places where this form would change them.{' '}
        {id === undefined ? 'Add' : 'Change'} it through the API.
      </p>
    );
  }
  const save = <button type="submit">{submit}</button>;
  const controls = (
    <>
      {children}
      {hasPreview ? (
        <div class="buttons">
          {save}
          <button class="plain" type="submit" name="action" value="preview" formnovalidate>
            Preview
          </button>
        </div>
      ) : (
        save
      )}
    </>
  );
  return (
    <form class={['settings', props.class].filter(Boolean).join(' ')} method="post" action={action}>
      {isPage && <RejectedForm form={form} />}
      {version !== undefined && <input type="hidden" name="version" value={version} />}
      {isPage ? (
        <fieldset class="all" disabled={!canWrite}>
          {controls}
        </fieldset>
      ) : (
        controls
      )}
    </form>
  );
}

/** Why a form is shown again. */
export function RejectedForm({ form: { fields, faults = [], reason, now } }: { readonly form: ShownForm }) {
  const outcome = fields?.action === 'preview' ? 'There is no preview' : 'Nothing was saved';
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
