import { isDeepStrictEqual } from 'node:util';
import {
  ANNOTATION,
  type AnnotationDependencies,
  type AnnotationFields,
  listAnnotations,
  parseNewAnnotation,
} from '@hitherto/domain/annotations';
import { DomainError, InvalidFields } from '@hitherto/domain/base';
import { dayOf, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { createResource, deleteResource, updateResource } from '@hitherto/domain/resources';
import type { WebsiteDependencies } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, type Form, valueIn } from '../shared/form.ts';
import { sendPage } from '../shared/page.tsx';
import { annotationPath, websitePath } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { type AnnotationFormValues, AnnotationsPage, type RejectedForm } from './annotations-page.tsx';
import { type ById, frameOf, websiteOf } from './found-website.ts';
import { deleteOnce, isNotFound } from './not-found.ts';
import { accountOf, authorOf, requireWriteScope } from './session.ts';
import { isStale, requireVersion } from './versions.ts';
import { WebsiteFrame } from './website-frame.tsx';

export interface AnnotationsRoutesDependencies extends AnnotationDependencies, Pick<WebsiteDependencies, 'websites'> {
  /** The installation's. */
  readonly zone: TimeZone;
}

const CHANGED = 'This annotation was changed elsewhere after you opened this page. Save again to replace it.';

const DELETED = 'This annotation was deleted elsewhere after you opened this page. Add it to have it again.';

type One = { Params: { id: string; annotation: string } };

/** The annotations of a website: listing, adding, changing and deleting them (api.md, "Annotations"); the scope has a session. */
export function annotationsRoutes(scope: FastifyInstance, deps: AnnotationsRoutesDependencies): void {
  const path = websitePath(':id', 'annotations');

  const keyOf = async (request: FastifyRequest<ById>) => {
    const website = await websiteOf(deps, request);
    return { website, key: { accountId: accountOf(request), websiteId: website.id } };
  };

  const send = async (request: FastifyRequest<ById>, reply: FastifyReply, rejected?: RejectedForm) => {
    const { website, key } = await keyOf(request);
    const annotations = await listAnnotations(deps, key);
    const frame = frameOf(request, website, 'annotations');
    const query = queryParameters(request);
    return sendPage(
      reply,
      <WebsiteFrame {...frame}>
        <AnnotationsPage
          websiteId={website.id}
          annotations={annotations.toReversed()}
          today={dayOf(zoneOf(website, deps.zone), deps.now())}
          canWrite={frame.canWrite}
          done={query.has('saved') ? 'Saved.' : query.has('deleted') ? 'Deleted.' : undefined}
          rejected={rejected}
        />
      </WebsiteFrame>,
    );
  };

  /** Saves the form in the body with `save`, or shows it again with its faults. */
  const saveForm = async (
    request: FastifyRequest<ById & Body>,
    reply: FastifyReply,
    id: string | undefined,
    save: (fields: AnnotationFields, version: string | undefined) => Promise<unknown>,
  ) => {
    const values = readValues(request.body);
    try {
      const { day, text, isPublic, version } = values;
      await save(parseNewAnnotation({ day, text, is_public: isPublic }), version);
    } catch (error) {
      const rejection = rejectionOf(error, { id, values });
      if (rejection === undefined) throw error;
      return send(request, reply.code(rejection.status), rejection.form);
    }
    return reply.redirect(`${websitePath(request.params.id, 'annotations')}?saved`, 303);
  };

  scope.get<ById>(path, (request, reply) => send(request, reply));
  // A GET of a form's action URL redirects to the list.
  scope.get<One>(annotationPath(':id', ':annotation'), (request, reply) =>
    reply.redirect(websitePath(encodeURIComponent(request.params.id), 'annotations'), 303),
  );

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<ById & Body>(path, async (request, reply) => {
      const { key } = await keyOf(request);
      const changing = { ...deps, author: authorOf(request) };
      return saveForm(request, reply, undefined, (fields) => createResource(changing, ANNOTATION, key, fields));
    });

    writing.post<One & Body>(annotationPath(':id', ':annotation'), async (request, reply) => {
      const { website, key } = await keyOf(request);
      const changing = { ...deps, author: authorOf(request) };
      const id = request.params.annotation.toLowerCase();
      if (request.body.delete === undefined) {
        return saveForm(request, reply, id, async (fields, version) => {
          const stored = await deps.annotations.find(key, id);
          // A form that is sent twice does the same as one that is sent once.
          if (stored !== undefined && isDeepStrictEqual({ ...stored, ...fields }, stored)) return;
          await updateResource(changing, ANNOTATION, key, id, fields, requireVersion(version));
        });
      }
      await deleteOnce(deleteResource(changing, ANNOTATION, key, id));
      return reply.redirect(`${websitePath(website.id, 'annotations')}?deleted`, 303);
    });
  });
}

function readValues(form: Form): AnnotationFormValues {
  const text = (name: string) => valueIn(form, name) ?? '';
  const version = text('version') || undefined;
  return { day: text('day'), text: text('text'), isPublic: text('is_public') === '1', version };
}

/** The form that is shown again, and the status; `undefined` if the error has nothing to do with the form. */
function rejectionOf(
  error: unknown,
  sent: Pick<RejectedForm, 'id' | 'values'>,
): { readonly status: 404 | 409 | 422; readonly form: RejectedForm } | undefined {
  if (error instanceof InvalidFields) return { status: 422, form: { ...sent, faults: error.faults } };
  if (isStale(error)) {
    // The list shows the stored annotation: a person who saves again has seen it.
    const values = { ...sent.values, version: undefined };
    return { status: 409, form: { ...sent, values, faults: [], reason: CHANGED } };
  }
  if (isNotFound(error) && sent.id !== undefined) {
    return { status: 404, form: { ...sent, faults: [], reason: DELETED } };
  }
  if (!(error instanceof DomainError) || error.code !== 'too_many_annotations') return undefined;
  return { status: 422, form: { ...sent, faults: [], reason: error.message } };
}
