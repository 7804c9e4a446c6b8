import { DEFINITION_LIMITS, type DefinitionKind } from '@hitherto/domain/definitions';
import type { JSX } from 'preact';
import { type DefinitionsPage, definitionPath, deleteDefinitionPath, newDefinitionPath } from '../../shared/paths.ts';

interface DefinitionsListProps {
  readonly kind: DefinitionKind;
  readonly page: DefinitionsPage;
  /** Their purpose. */
  readonly purpose: string;
  readonly websiteId: string;
  readonly rows: readonly {
    readonly id: string;
    readonly name: string;
    readonly summary: JSX.Element | undefined;
    /** Where the visits that it chooses are counted. */
    readonly statisticsHref: string | undefined;
  }[];
  /** The owner's last action. */
  readonly done: string | undefined;
  readonly canWrite: boolean;
}

/** The definitions of a kind, in the order of their creation. */
export function DefinitionsList({ kind, page, purpose, websiteId, rows, done, canWrite }: DefinitionsListProps) {
  const verb = canWrite ? 'Change' : 'Show';
  const limit = DEFINITION_LIMITS[kind];
  return (
    <>
      {done !== undefined && (
        <p class="notice good" role="status">
          {done}
        </p>
      )}
      <p>{purpose}</p>
      {rows.length > 0 && (
        <ul class="card definitions">
          {rows.map(({ id, name, summary, statisticsHref }) => (
            <li key={id}>
              <div>
                <bdi>
                  <strong>{name}</strong>
                </bdi>
                <p class="hint">{summary}</p>
              </div>
              <div class="buttons">
                {statisticsHref !== undefined && (
                  <a href={statisticsHref} aria-label={`Statistics of ${name}`}>
                    Statistics
                  </a>
                )}
                <a href={definitionPath(websiteId, page, id)} aria-label={`${verb} ${name}`}>
                  {verb}
                </a>
                {canWrite && (
                  <a href={deleteDefinitionPath(websiteId, page, id)} aria-label={`Delete ${name}`}>
                    Delete
                  </a>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {rows.length >= limit && (
        <p>
          These are all {limit} {page} that a website can have.
        </p>
      )}
      {canWrite && rows.length < limit && (
        <p>
          <a class="button" href={newDefinitionPath(websiteId, page)}>
            Add a {kind}
          </a>
        </p>
      )}
    </>
  );
}
