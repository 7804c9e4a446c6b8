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
import type { FormFields, ResourcePages, ShownForm } from './resource-pages.ts';
import { isStale, requireVersion, versionOf } from './versions.ts';

/** The paths of a resource and its pages; those of an account's resources have no other id. */
export type OneResource = { Params: { readonly id: string; readonly resource: string } };

/** A request about the resources of an owner, and its response. */
interface Visit<Found extends Opened> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly found: Found;
}

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

  /** The owner in the address of a request. */
  const open = async (request: FastifyRequest<ById>, reply: FastifyReply): Promise<Visit<Found>> => {
    return { request, reply, found: await pages.open(deps, request) };
  };

  const find = ({ owner }: Found, { params }: FastifyRequest<OneResource>) =>
    showResource(deps, type, owner, params.resource.toLowerCase());

  /** Shows a form, of a stored resource or a new one. */
  const show = async ({ request, reply, found }: Visit<Found>, form: ShownForm, stored?: Stored, said?: Said) =>
    sendPage(
      reply,
      isPage ? await forms.formPage(request, found, form, stored, said) : await listPage(found, said, form),
    );

  /** Shows a stored resource on its page, or in the list. */
  const showStored = async (visit: Visit<Found>, stored: Stored, said: Said = {}) => {
    const { reply, found } = visit;
    if (!hasPage) return sendPage(reply, await listPage(found, said));
    return show(visit, await forms.formOf(found, stored), stored, said);
  };

  const receive = async (visit: Visit<Found>, fields: FormFields, stored?: Stored) => {
    const { request, reply, found } = visit;
    const edited = stored && { id: stored.id, version: fields.version };
    try {
      const rearranged = pages.rearrange?.(fields);
      if (rearranged !== undefined) return await show(visit, { ...edited, fields: rearranged }, stored);
      if (pages.preview !== undefined && fields.action === 'preview') {
        const preview = await pages.preview(deps, found, fields);
        return await show(visit, { ...edited, fields, preview }, stored);
      }
      const saving = { ...deps, author: authorOf(request) };
      let saved = stored;
      if (stored === undefined) {
        const { created, once } = await pages.create(saving, found, fields, request);
        // A secret is in this response and nowhere else, so there is no redirect.
        if (once !== undefined) {
          reply.code(201);
          return await showStored(visit, created, { once });
        }
        saved = created;
      } else await update?.(saving, found, stored, fields, requireVersion(fields.version));
      const home = hasPage && saved !== undefined ? resourcePath(found.list, saved.id) : found.list;
      return reply.redirect(`${home}?saved`, 303);
    } catch (error) {
      const rejection = rejectionOf(error, kind, found.locale);
      if (rejection === undefined) throw error;
      const faults = pages.placeFaults?.(rejection.faults, fields, found) ?? rejection.faults;
      const form = { ...edited, fields, faults, reason: rejection.reason };
      reply.code(rejection.status);
      if (stored === undefined || !isStale(error)) return show(visit, form, stored);
      // A person who saves again has seen what is stored.
      const current = await showResource(deps, type, found.owner, stored.id);
      const now = await forms.nowOf(found, current);
      return show(visit, { ...form, version: versionOf(current), now }, current);
    }
  };

  scope.get<ById>(list, async (request, reply) => {
    const found = await pages.open(deps, request);
    return sendPage(reply, await listPage(found, { done: doneOf(request, found) }));
  });
  if (isPage) {
    scope.get<ById>(newPath, async (request, reply) => {
      const visit = await open(request, reply);
      return show(visit, { fields: pages.blank(deps, visit.found, queryParameters(request)) });
    });
    scope.get<OneResource>(onePath, async (request, reply) => {
      const visit = await open(request, reply);
      const stored = await find(visit.found, request);
      return show(visit, await forms.formOf(visit.found, stored), stored, { done: doneOf(request, visit.found) });
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
      receive(await open(request, reply), valuesIn(request.body)),
    );

    if (update !== undefined) {
      writing.post<OneResource & Body>(onePath, async (request, reply) => {
        const visit = await open(request, reply);
        const fields = valuesIn(request.body);
        try {
          return await receive(visit, fields, await find(visit.found, request));
        } catch (error) {
          if (!isNotFound(error)) throw error;
          reply.code(404);
          return show(visit, { fields, reason: visit.found.locale.words.resources.gone });
        }
      });
    }

    writing.post<OneResource & Body>(deletionPath, async (request, reply) => {
      const found = await pages.open(deps, request);
      const deleting = { ...deps, author: authorOf(request) };
      const id = request.params.resource.toLowerCase();
      try {
        const precondition = requireVersion(valuesIn(request.body).version);
        await deleteOnce(
          pages.remove?.(deleting, found.owner, id, precondition) ??
            deleteResource(deleting, type, found.owner, id, precondition),
        );
        return reply.redirect(`${found.list}?${type.deleted ?? 'deleted'}`, 303);
      } catch (error) {
        const rejection = rejectionOf(error, kind, found.locale);
        if (rejection === undefined) throw error;
        const stored = await find(found, request);
        return sendPage(reply.code(rejection.status), await forms.deletionPage(found, stored, rejection.reason));
      }
    });
  });

  return { open, find, showStored };
}

/** The owner's last action, as the address of a page says. */
function doneOf(request: FastifyRequest, { locale: { words } }: Opened): string | undefined {
  const query = queryParameters(request);
  return (['saved', 'deleted', 'revoked'] as const)
    .filter((done) => query.has(done))
    .map((done) => words.resources[done])[0];
}
