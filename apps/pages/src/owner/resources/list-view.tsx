import { listResources, type Making, type Resource } from '@hitherto/domain/resources';
import type { Words } from '@hitherto/words';
import { useLocale } from '../../shared/locale.tsx';
import { newResourcePath, resourcePath } from '../../shared/paths.ts';
import { Done } from '../notices.tsx';
import { type createForms, RejectedForm, type Said } from './form-views.tsx';
import type { Opened } from './opened.tsx';
import type { ResourcePages, ShownForm } from './resource-pages.ts';

/** The list of a kind of resource, with its forms if they are not on pages of their own. */
export function createList<Deps extends Making, Found extends Opened, Stored extends Resource>(
  deps: Deps,
  pages: ResourcePages<Deps, Found, Stored>,
  forms: ReturnType<typeof createForms<Deps, Found, Stored>>,
) {
  const verb = pages.type.deleted === 'revoked' ? 'revoke' : 'delete';
  const isPage = pages.forms === 'page';

  /** Links to the pages of a resource. */
  const linksOf = (found: Found, stored: Stored) => {
    const [name, one] = [pages.nameOf(stored, found), resourcePath(found.list, stored.id)];
    if (pages.hasPage) return <ItemLink to="settings" name={name} href={one} />;
    const statistics = pages.statisticsHref?.(found, stored);
    return (
      <>
        {statistics !== undefined && <ItemLink to="statistics" name={name} href={statistics} />}
        <ItemLink to={found.canWrite ? 'change' : 'show'} name={name} href={one} />
        {found.canWrite && <ItemLink to={verb} name={name} href={forms.deletionPath(found, stored)} />}
      </>
    );
  };

  /** The forms that change and delete a resource. */
  const formsOf = async (found: Found, stored: Stored, sent: ShownForm | undefined) => {
    const rejected = sent?.id === stored.id ? sent : undefined;
    const summary = pages.update === undefined ? verb : 'change';
    const { resources } = found.locale.words;
    const { consequence } = pages.texts(resources);
    return (
      <details open={rejected !== undefined}>
        <summary aria-label={resources.of[summary](pages.nameOf(stored, found))}>{resources[summary]}</summary>
        {pages.update && (await forms.formView(found, rejected ?? (await forms.formOf(found, stored))))}
        <form method="post" action={forms.deletionPath(found, stored)}>
          {consequence !== undefined && <p class="hint">{consequence}</p>}
          <button class="danger" type="submit">
            {resources[verb]}
          </button>
        </form>
      </details>
    );
  };

  /** Adds a resource: a form, or a link to it. */
  const addOf = async (found: Found, sent: ShownForm | undefined) => {
    if (!isPage) {
      const isSent = sent !== undefined && sent.id === undefined;
      return forms.formView(found, isSent ? sent : { fields: pages.blank(deps, found, new URLSearchParams()) });
    }
    return (
      <p>
        <a class="button" href={newResourcePath(found.list)}>
          {pages.texts(found.locale.words.resources).add}
        </a>
      </p>
    );
  };

  return async (found: Found, { done, once }: Said = {}, sent?: ShownForm) => {
    const all = await listResources(deps, pages.type, found.owner);
    if (pages.newestFirst) all.reverse();
    const summaries = await pages.summarize(deps, found, all);
    const items = await Promise.all(
      all.map(async (stored, index) => (
        <li key={stored.id} class={isPage ? undefined : 'opens'}>
          <div>
            <bdi>
              <strong>{pages.nameOf(stored, found)}</strong>
            </bdi>
            <p class="hint">{summaries[index]}</p>
          </div>
          {isPage && <div class="buttons">{linksOf(found, stored)}</div>}
          {!isPage && found.canWrite && (await formsOf(found, stored, sent))}
        </li>
      )),
    );
    const isFull = all.length >= pages.limit;
    const add = found.canWrite && !isFull && (await addOf(found, sent));
    const { resources } = found.locale.words;
    return (
      <found.Frame>
        <Done text={done} />
        {once}
        {sent && <RejectedForm form={sent} />}
        <p>{pages.texts(resources).purpose}</p>
        {pages.notice?.(deps, found)}
        {pages.forms === 'list-first' && add}
        {items.length > 0 && <ul class="card definitions">{items}</ul>}
        {isFull && <p>{resources.full(pages.limit)}</p>}
        {pages.forms !== 'list-first' && add}
      </found.Frame>
    );
  };
}

interface ItemLinkProps {
  readonly to: keyof Words['resources']['of'];
  readonly name: string;
  readonly href: string;
}

function ItemLink({ to, name, href }: ItemLinkProps) {
  const { resources } = useLocale().words;
  return (
    <a href={href} aria-label={resources.of[to](name)}>
      {resources[to]}
    </a>
  );
}
