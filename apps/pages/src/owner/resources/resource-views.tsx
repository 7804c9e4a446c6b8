import { listResources, type Making, type Resource } from '@hitherto/domain/resources';
import type { FastifyRequest } from 'fastify';
import type { ComponentChildren, JSX } from 'preact';
import { newResourcePath, resourcePath } from '../../shared/paths.ts';
import { DeletionForm } from './deletion-form.tsx';
import type { Opened } from './opened.tsx';
import { RejectedForm, ResourceForm } from './resource-form.tsx';
import { Done, Item, ItemForms, type ItemLink, ItemLinks, ResourceList } from './resource-list.tsx';
import type { ResourcePages, ShownForm } from './resource-pages.ts';
import { versionOf } from './versions.ts';

/** The content of a page in addition to what is stored. */
export interface Said {
  /** The owner's last action. */
  readonly done?: string | undefined;
  /** The secret of a new resource. */
  readonly once?: ComponentChildren;
  /** A form that was not saved. */
  readonly form?: ShownForm;
}

/** The owner's pages of a kind of resource. */
export function createViews<Deps extends Making, Found extends Opened, Stored extends Resource>(
  deps: Deps,
  pages: ResourcePages<Deps, Found, Stored>,
) {
  const { type, nameOf } = pages;
  const { kind } = type;
  const isPage = pages.forms === 'page';
  const [verb, action] = type.deleted === 'revoked' ? (['Revoke', 'revoke'] as const) : (['Delete', 'delete'] as const);

  const summaryOf = async (found: Found, stored: Stored) => (await pages.summarize(deps, found, [stored]))[0];

  /** What is stored now, for a form that did not know. */
  const nowOf = (found: Found, stored: Stored) => pages.describe?.(deps, found, stored) ?? summaryOf(found, stored);

  /** The form of a stored resource. */
  const formOf = async (found: Found, stored: Stored): Promise<ShownForm> => ({
    fields: await pages.fieldsOf?.(deps, found, stored),
    id: stored.id,
    version: versionOf(stored),
  });

  const formView = async (found: Found, form: ShownForm) => {
    const { fields, id, faults = [] } = form;
    const newPath = isPage ? newResourcePath(found.list) : found.list;
    return (
      <ResourceForm
        kind={kind}
        action={id === undefined ? newPath : resourcePath(found.list, id)}
        form={form}
        class={pages.formClass}
        submit={(id === undefined ? pages.submit : undefined) ?? 'Save'}
        hasPreview={pages.preview !== undefined}
        isPage={isPage}
        canWrite={found.canWrite}
      >
        {id === undefined && !isPage && pages.add !== undefined && <h2>{pages.add}</h2>}
        {fields && (await pages.controls(deps, found, { fields, faults, id }))}
      </ResourceForm>
    );
  };

  const linksOf = (found: Found, stored: Stored): readonly ItemLink[] => {
    const [name, one] = [nameOf(stored), resourcePath(found.list, stored.id)];
    if (pages.hasPage) return [{ text: 'Settings', label: `Settings of ${name}`, href: one }];
    const statistics = pages.statisticsHref?.(found, stored);
    const change = found.canWrite ? 'Change' : 'Show';
    return [
      ...(statistics === undefined ? [] : [{ text: 'Statistics', label: `Statistics of ${name}`, href: statistics }]),
      { text: change, label: `${change} ${name}`, href: one },
      ...(found.canWrite
        ? [{ text: verb, label: `${verb} ${name}`, href: resourcePath(found.list, stored.id, action) }]
        : []),
    ];
  };

  const formsView = async (found: Found, stored: Stored, rejected: ShownForm | undefined) => {
    const isRejected = rejected?.id === stored.id;
    const form = pages.update && (await formView(found, isRejected ? rejected : await formOf(found, stored)));
    return (
      <ItemForms
        name={nameOf(stored)}
        isOpen={isRejected}
        form={form}
        verb={verb}
        action={resourcePath(found.list, stored.id, action)}
        consequence={pages.consequence}
      />
    );
  };

  const addView = async (found: Found, form: ShownForm | undefined): Promise<JSX.Element> => {
    if (isPage) {
      return (
        <p>
          <a class="button" href={newResourcePath(found.list)}>
            {pages.add}
          </a>
        </p>
      );
    }
    const isNew = form !== undefined && form.id === undefined;
    return formView(found, isNew ? form : { fields: pages.blank(deps, found, new URLSearchParams()) });
  };

  /** The list, with the forms if they are there. */
  const listPage = async (found: Found, { done, once, form }: Said) => {
    const stored = await listResources(deps, type, found.owner);
    if (pages.newestFirst) stored.reverse();
    const summaries = await pages.summarize(deps, found, stored);
    const actions = await Promise.all(
      stored.map((each) => {
        if (isPage) return <ItemLinks links={linksOf(found, each)} />;
        return found.canWrite ? formsView(found, each, form) : undefined;
      }),
    );
    const isFull = stored.length >= pages.limit;
    const owner = found.owner.websiteId === undefined ? 'an account' : 'a website';
    return (
      <found.Frame>
        <ResourceList
          done={done}
          above={
            <>
              {once}
              {form && <RejectedForm form={form} />}
            </>
          }
          purpose={pages.purpose}
          notice={pages.notice?.(deps)}
          add={found.canWrite && !isFull ? await addView(found, form) : undefined}
          addsFirst={pages.forms === 'list-first'}
          items={stored.map((each, index) => (
            <Item key={each.id} name={nameOf(each)} summary={summaries[index]} opens={!isPage}>
              {actions[index]}
            </Item>
          ))}
          isFull={isFull ? `These are all ${pages.limit} ${kind}s that ${owner} can have.` : undefined}
        />
      </found.Frame>
    );
  };

  /** The page of a form: for a new resource, or a stored one. */
  const formPage = async (
    request: FastifyRequest,
    found: Found,
    form: ShownForm,
    stored: Stored | undefined,
    said: Said = {},
  ) => {
    const { above, below } = (stored && (await pages.surroundings?.(deps, found, stored, request))) ?? {};
    return (
      <found.Frame
        title={stored === undefined ? (pages.add ?? '') : `Change a ${kind}`}
        name={stored && nameOf(stored)}
        heading={stored === undefined ? pages.add : `Change this ${kind}`}
      >
        {said.once}
        <Done text={said.done} />
        {above}
        {form.preview}
        {await formView(found, form)}
        {below}
      </found.Frame>
    );
  };

  /** Asks before a resource is deleted. */
  const deletionPage = async (found: Found, stored: Stored, reason?: string) => (
    <found.Frame title={`Delete a ${kind}`} name={nameOf(stored)}>
      <DeletionForm
        kind={kind}
        name={nameOf(stored)}
        summary={await summaryOf(found, stored)}
        consequence={pages.consequence}
        warning={await pages.warn?.(deps, found, stored)}
        version={versionOf(stored)}
        action={resourcePath(found.list, stored.id, action)}
        backHref={pages.hasPage ? resourcePath(found.list, stored.id) : found.list}
        reason={reason}
        canWrite={found.canWrite}
      />
    </found.Frame>
  );

  return { nowOf, formOf, listPage, formPage, deletionPage };
}
