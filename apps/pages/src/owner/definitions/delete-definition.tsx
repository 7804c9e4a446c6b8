import type { DefinitionKind } from '@hitherto/domain/definitions';
import type { JSX } from 'preact';

interface DeleteDefinitionProps {
  readonly kind: DefinitionKind;
  readonly name: string;
  readonly summary: JSX.Element | undefined;
  readonly warning: JSX.Element | undefined;
  readonly version: string;
  readonly action: string;
  /** The list. */
  readonly backHref: string;
  /** Why nothing was deleted. */
  readonly reason: string | undefined;
  readonly canWrite: boolean;
}

/** Asks whether to delete a definition. */
export function DeleteDefinition(props: DeleteDefinitionProps) {
  const { kind, name, summary, warning, version, action, backHref, reason, canWrite } = props;
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
          . No visits are deleted: their numbers stay as they are.
        </p>
        <p class="hint">{summary}</p>
      </div>
      {warning !== undefined && <p class="notice">{warning}</p>}
      <input type="hidden" name="version" value={version} />
      <fieldset class="buttons" disabled={!canWrite}>
        <button class="danger" type="submit">
          Delete the {kind}
        </button>
        <a href={backHref}>Keep it</a>
      </fieldset>
    </form>
  );
}
