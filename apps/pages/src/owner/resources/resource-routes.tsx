import { deleteResource, type Making, type Resource, showResource } from '@hitherto/domain/resources';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, valuesIn } from '../../shared/form.ts';
import { sendPage } from '../../shared/page.tsx';
import { newResourcePath, resourcePath } from '../../shared/paths.ts';
import { queryParameters } from '../../shared/request.ts';
import type { ById } from '../found-website.ts';
import { deleteOnce, isNotFound } from '../not-found.ts';
import { authorOf, requireWriteScope } from '../session.ts';
import { createForms, type Said } from './form-views.tsx';
import { createList } from './list-view.tsx';
import type { Opened } from './opened.tsx';
import { rejectionOf } from './rejection.ts';
import type { ResourcePages, ShownForm } from './resource-pages.ts';
import { isStale, requireVersion, versionOf } from './versions.ts';

/** The paths of a resource and its pages; those of an account's resources have no other id. */
export type OneResource = { Params: { readonly id: string; readonly resource: string } };

/** Serves the owner's pages of a kind of resource: its list, and the forms that create, change and delete (pages.md). */
export function resourceRoutes<Deps extends Making, Found extends Opened, Stored extends Resource>(
  scope: FastifyInstance,
  deps: Deps,
  pages: ResourcePages<Deps, Found, Stored>,
) {
  const { type, list, hasPage, update } = pages;
  const { kind } = type;
  const isPage = pages.forms === 'page';
  const forms = createForms(deps, pages);
  const listPage = createList(deps, pages, forms);
  const newPath = isPage ? newResourcePath(list) : list;
  const onePath = resourcePath(list, ':resource');
  const deletionPath = resourcePath(list, ':resource', type.deleted === 'revoked' ? 'revoke' : 'delete');

  const find = (found: Found, request: FastifyRequest<OneResource>) =>
    showResource(deps, type, found.owner, request.params.resource.toLowerCase());

  /** Shows a form, of a stored resource or a new one. */
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    found: Found,
    form: ShownForm,
    stored?: Stored,
    said?: Said,
  ) =>
    sendPage(
      reply,
      isPage ? await forms.formPage(request, found, form, stored, said) : await listPage(found, said, form),
    );

  /** Shows a stored resource on its page, or in the list. */
  const showStored = async (
    request: FastifyRequest,
    reply: FastifyReply,
    found: Found,
    stored: Stored,
    said: Said = {},
  ) => {
    if (!hasPage) return sendPage(reply, await listPage(found, said));
    return show(request, reply, found, await forms.formOf(found, stored), stored, said);
  };

  const receive = async (request: FastifyRequest<Body>, reply: FastifyReply, found: Found, stored?: Stored) => {
    const fields = valuesIn(request.body);
    const edited = stored && { id: stored.id, version: fields.version };
    try {
      const rearranged = pages.rearrange?.(fields);
      if (rearranged !== undefined) return await show(request, reply, found, { ...edited, fields: rearranged }, stored);
      if (pages.preview !== undefined && fields.action === 'preview') {
        const preview = await pages.preview(deps, found, fields);
        return await show(request, reply, found, { ...edited, fields, preview }, stored);
      }
      const saving = { ...deps, author: authorOf(request) };
      let saved = stored;
      if (stored === undefined) {
        const { created, once } = await pages.create(saving, found, fields, request);
        // A secret is in this response and nowhere else, so there is no redirect.
        if (once !== undefined) return await showStored(request, reply.code(201), found, created, { once });
        saved = created;
      } else await update?.(saving, found, stored, fields, requireVersion(fields.version));
      const home = hasPage && saved !== undefined ? resourcePath(found.list, saved.id) : found.list;
      return reply.redirect(`${home}?saved`, 303);
    } catch (error) {
      const rejection = rejectionOf(error, kind);
      if (rejection === undefined) throw error;
      const faults = pages.placeFaults?.(rejection.faults, fields, found) ?? rejection.faults;
      const form = { ...edited, fields, faults, reason: rejection.reason };
      reply.code(rejection.status);
      if (stored === undefined || !isStale(error)) return show(request, reply, found, form, stored);
      // A person who saves again has seen what is stored.
      const current = await showResource(deps, type, found.owner, stored.id);
      const now = await forms.nowOf(found, current);
      return show(request, reply, found, { ...form, version: versionOf(current), now }, current);
    }
  };

  scope.get<ById>(list, async (request, reply) => {
    const found = await pages.open(deps, request);
    return sendPage(reply, await listPage(found, { done: doneOf(request) }));
  });
  if (isPage) {
    scope.get<ById>(newPath, async (request, reply) => {
      const found = await pages.open(deps, request);
      return show(request, reply, found, { fields: pages.blank(deps, found, queryParameters(request)) });
    });
    scope.get<OneResource>(onePath, async (request, reply) => {
      const found = await pages.open(deps, request);
      const stored = await find(found, request);
      return show(request, reply, found, await forms.formOf(found, stored), stored, { done: doneOf(request) });
    });
    scope.get<OneResource>(deletionPath, async (request, reply) => {
      const found = await pages.open(deps, request);
      return sendPage(reply, await forms.deletionPage(found, await find(found, request)));
    });
  } else {
    // A GET of a form's action URL redirects to the list.
    for (const path of update === undefined ? [deletionPath] : [onePath, deletionPath]) {
      scope.get<OneResource>(path, (request, reply) =>
        reply.redirect(list.replace(':id', encodeURIComponent(request.params.id)), 303),
      );
    }
  }

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<ById & Body>(newPath, async (request, reply) =>
      receive(request, reply, await pages.open(deps, request)),
    );

    if (update !== undefined) {
      writing.post<OneResource & Body>(onePath, async (request, reply) => {
        const found = await pages.open(deps, request);
        try {
          return await receive(request, reply, found, await find(found, request));
        } catch (error) {
          if (!isNotFound(error)) throw error;
          const reason = `This ${kind} was deleted elsewhere after you opened this page. Save again to add it as a new one.`;
          return show(request, reply.code(404), found, { fields: valuesIn(request.body), reason });
        }
      });
    }

    writing.post<OneResource & Body>(deletionPath, async (request, reply) => {
      const found = await pages.open(deps, request);
      const deleting = { ...deps, author: authorOf(request) };
      const id = request.params.resource.toLowerCase();
      try {
        await deleteOnce(
          deleteResource(deleting, type, found.owner, id, requireVersion(valuesIn(request.body).version)),
        );
        return reply.redirect(`${found.list}?${type.deleted ?? 'deleted'}`, 303);
      } catch (error) {
        const rejection = rejectionOf(error, kind);
        if (rejection === undefined) throw error;
        const stored = await find(found, request);
        return sendPage(reply.code(rejection.status), await forms.deletionPage(found, stored, rejection.reason));
      }
    });
  });

  return { find, showStored };
}

/** The owner's last action, as the address of a page says. */
function doneOf(request: FastifyRequest): string | undefined {
  const query = queryParameters(request);
  if (query.has('saved')) return 'Saved.';
  if (query.has('deleted')) return 'Deleted.';
  return query.has('revoked') ? 'Revoked.' : undefined;
}
