import type { ComponentChildren } from 'preact';

interface DeletionFormProps {
  readonly kind: string;
  readonly name: string;
  readonly summary: ComponentChildren;
  readonly consequence: string | undefined;
  readonly warning: ComponentChildren;
  readonly version: string | undefined;
  readonly action: string;
  readonly backHref: string;
  /** Why nothing was deleted. */
  readonly reason: string | undefined;
  readonly canWrite: boolean;
}

/** Asks whether to delete a resource. */
export function DeletionForm(props: DeletionFormProps) {
  const { kind, name, summary, consequence, warning, version, action, backHref, reason, canWrite } = props;
  return (
    <form class="settings" method="post" action={action}>
      {reason !== undefined && (
        <p class="fault" role="alert">
          Nothing was deleted. {reason}
        </p>
      )}
      <div>
        <p>
          This deletes the {kind}{' '}
          <bdi>
            <strong>{name}</strong>
          </bdi>
          . {consequence}
        </p>
        <p class="hint">{summary}</p>
      </div>
      {warning !== undefined && <p class="notice">{warning}</p>}
      {version !== undefined && <input type="hidden" name="version" value={version} />}
      <fieldset class="buttons" disabled={!canWrite}>
        <button class="danger" type="submit">
          Delete the {kind}
        </button>
        <a href={backHref}>Keep it</a>
      </fieldset>
    </form>
  );
}
