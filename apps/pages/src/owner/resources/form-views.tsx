import type { Making, Resource } from '@hitherto/domain/resources';
import type { FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import { useLocale } from '../../shared/locale.tsx';
import { newResourcePath, resourcePath } from '../../shared/paths.ts';
import { Done } from '../notices.tsx';
import type { Opened } from './opened.tsx';
import type { ResourcePages, ShownForm } from './resource-pages.ts';
import { versionOf } from './versions.ts';

/** The content of a page in addition to what is stored. */
export interface Said {
  /** The owner's last action. */
  readonly done?: string | undefined;
  /** The secret of a new resource. */
  readonly once?: ComponentChildren;
}

/** The forms of a kind of resource, and their pages. */
export function createForms<Deps extends Making, Found extends Opened, Stored extends Resource>(
  deps: Deps,
  pages: ResourcePages<Deps, Found, Stored>,
) {
  const { deleted } = pages.type;
  const isPage = pages.forms === 'page';

  const summaryOf = async (found: Found, stored: Stored) => (await pages.summarize(deps, found, [stored]))[0];

  /** What is stored now, for a form that did not know. */
  const nowOf = (found: Found, stored: Stored) => pages.describe?.(deps, found, stored) ?? summaryOf(found, stored);

  /** The form of a stored resource. */
  const formOf = async (found: Found, stored: Stored): Promise<ShownForm> => ({
    fields: await pages.fieldsOf?.(deps, found, stored),
    id: stored.id,
    version: versionOf(stored),
  });

  const deletionPath = ({ list }: Found, { id }: Stored) =>
    resourcePath(list, id, deleted === 'revoked' ? 'revoke' : 'delete');

  const formView = async (found: Found, form: ShownForm) => {
    const { fields, id, version, faults = [] } = form;
    const isNew = id === undefined;
    const { resources } = found.locale.words;
    const { add, submit } = pages.texts(resources);
    if (fields === undefined) return <p class="notice">{resources.unshown}</p>;
    const newPath = isPage ? newResourcePath(found.list) : found.list;
    const save = <button type="submit">{(isNew && submit) || resources.save}</button>;
    const controls = (
      <>
        {await pages.controls(deps, found, { fields, faults, id })}
        {pages.preview === undefined ? (
          save
        ) : (
          <div class="buttons">
            {save}
            <button class="plain" type="submit" name="action" value="preview" formnovalidate>
              {resources.preview}
            </button>
          </div>
        )}
      </>
    );
    return (
      <form
        class={pages.formClass === undefined ? 'settings' : `settings ${pages.formClass}`}
        method="post"
        action={isNew ? newPath : resourcePath(found.list, id)}
      >
        {isPage && <RejectedForm form={form} />}
        {!isPage && isNew && add !== undefined && <h2>{add}</h2>}
        {version !== undefined && <input type="hidden" name="version" value={version} />}
        {isPage ? (
          <fieldset class="all" disabled={!found.canWrite}>
            {controls}
          </fieldset>
        ) : (
          controls
        )}
      </form>
    );
  };

  /** The page of a form: for a new resource, or a stored one. */
  const formPage = async (
    request: FastifyRequest,
    found: Found,
    form: ShownForm,
    stored: Stored | undefined,
    { done, once }: Said = {},
  ) => {
    const { above, below } = (stored && (await pages.surroundings?.(deps, found, stored, request))) ?? {};
    const texts = pages.texts(found.locale.words.resources);
    const heading = stored === undefined ? texts.add : texts.change;
    return (
      <found.Frame title={heading} name={stored && pages.nameOf(stored, found)} heading={heading}>
        {once}
        <Done text={done} />
        {above}
        {form.preview}
        {await formView(found, form)}
        {below}
      </found.Frame>
    );
  };

  /** Asks before a resource is deleted, again with the reason why nothing was deleted. */
  const deletionPage = async (found: Found, stored: Stored, reason?: string) => {
    const warning = await pages.warn?.(deps, found, stored);
    const version = versionOf(stored);
    const { resources } = found.locale.words;
    const texts = pages.texts(resources);
    const name = pages.nameOf(stored, found);
    return (
      <found.Frame title={texts.delete} name={name}>
        <form class="settings" method="post" action={deletionPath(found, stored)}>
          {reason !== undefined && (
            <p class="fault" role="alert">
              {resources.nothingDeleted} {reason}
            </p>
          )}
          <div>
            <p>
              {resources.deletes(
                <bdi>
                  <strong>{name}</strong>
                </bdi>,
              )}{' '}
              {texts.consequence}
            </p>
            <p class="hint">{await summaryOf(found, stored)}</p>
          </div>
          {warning !== undefined && <p class="notice">{warning}</p>}
          {version !== undefined && <input type="hidden" name="version" value={version} />}
          <fieldset class="buttons" disabled={!found.canWrite}>
            <button class="danger" type="submit">
              {texts.delete}
            </button>
            <a href={pages.hasPage ? resourcePath(found.list, stored.id) : found.list}>{resources.keep}</a>
          </fieldset>
        </form>
      </found.Frame>
    );
  };

  return { nowOf, formOf, deletionPath, formView, formPage, deletionPage };
}

/** Why a form is shown again. */
export function RejectedForm({ form: { fields, faults = [], reason, now } }: { readonly form: ShownForm }) {
  const { resources } = useLocale().words;
  const outcome = fields?.action === 'preview' ? resources.noPreview : resources.nothingSaved;
  if (reason !== undefined) {
    return (
      <div class="fault" role="alert">
        <p>
          {outcome} {reason}
        </p>
        {now !== undefined && <p>{resources.now(now)}</p>}
      </div>
    );
  }
  if (faults.length === 0) return null;
  return (
    <p class="fault" role="alert">
      {outcome} {resources.faultyFields(faults.length)}
    </p>
  );
}
