import {
  ANNOTATION,
  type Annotation,
  type AnnotationDependencies,
  type AnnotationInput,
  listAnnotations,
  parseAnnotationChanges,
  parseNewAnnotation,
} from '@hitherto/domain/annotations';
import { isDay, type Period } from '@hitherto/domain/calendar';
import { createResource, createResourceOnce, deleteResource, updateResource } from '@hitherto/domain/resources';
import { BODY_LIMIT, decodeJsonBodies, InvalidRequest, ignoreBodies, type WireFault } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, websiteOf } from '../requests/authentication.ts';
import { idempotencyKeyOf, parseBody, shapeFaults } from '../requests/input.ts';
import { etagOf, preconditionOf } from '../requests/versions.ts';
import { documented, toAnnotationResource } from './annotation-schemas.ts';

type ById = { Params: { id: string } };
type One = { Params: { id: string; annotation_id: string } };
type Days = { Querystring: { from?: string; to?: string } };

const ALL = '/api/v1/websites/:id/annotations';
const ONE = `${ALL}/:annotation_id`;

/** Annotations (api.md, "Annotations"), in the authenticated scope. */
export function annotationRoutes(app: FastifyInstance, deps: AnnotationDependencies): void {
  app.get<ById & Days>(ALL, { schema: documented.list, config: { mergesFaults: true } }, async (request) => {
    const days = daysOf(request.query, shapeFaults(request));
    const annotations = await listAnnotations(deps, websiteOf(request), days);
    return { data: annotations.map(toAnnotationResource) };
  });

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);

    writing.post<ById & { Body: AnnotationInput }>(
      ALL,
      { schema: documented.create, config: { mergesFaults: true } },
      async (request, reply) => {
        const key = idempotencyKeyOf(request);
        const fields = parseBody(request.body, shapeFaults(request), parseNewAnnotation);
        const changing = { ...deps, author: authorOf(request) };
        const website = websiteOf(request);
        const { resource, replayed } =
          key === undefined
            ? { resource: await createResource(changing, ANNOTATION, website, fields), replayed: false }
            : await createResourceOnce(changing, ANNOTATION, website, fields, key);
        if (replayed) reply.header('idempotent-replayed', 'true');
        return shown(reply.code(201), resource);
      },
    );

    writing.patch<One & { Body: AnnotationInput }>(
      ONE,
      { schema: documented.update, config: { mergesFaults: true } },
      async (request, reply) => {
        const changes = parseBody(request.body, shapeFaults(request), parseAnnotationChanges);
        const changing = { ...deps, author: authorOf(request) };
        const precondition = preconditionOf(request);
        return shown(
          reply,
          await updateResource(changing, ANNOTATION, websiteOf(request), idOf(request), changes, precondition),
        );
      },
    );
  });

  app.register(async (deleting) => {
    ignoreBodies(deleting);

    deleting.delete<One>(ONE, { schema: documented.remove }, async (request, reply) => {
      const changing = { ...deps, author: authorOf(request) };
      await deleteResource(changing, ANNOTATION, websiteOf(request), idOf(request), preconditionOf(request));
      return reply.code(204).send();
    });
  });
}

function shown(reply: FastifyReply, annotation: Annotation) {
  reply.header('etag', etagOf(annotation));
  return { data: toAnnotationResource(annotation) };
}

/** The days of a query: both or neither. */
function daysOf({ from, to }: Days['Querystring'], shapeFaults: readonly WireFault[]): Period | undefined {
  const faults = [...shapeFaults];
  for (const [field, day] of Object.entries({ from, to })) {
    if (faults.some((fault) => fault.field === field)) continue;
    if (day === undefined && (from ?? to) !== undefined) {
      faults.push({ field, code: 'required', detail: 'Send both "from" and "to", or neither.' });
    } else if (day !== undefined && !isDay(day)) {
      faults.push({ field, code: 'not_allowed', detail: 'Must be a day, such as 2026-11-20.' });
    }
  }
  if (faults.length === 0 && from !== undefined && to !== undefined && to < from) {
    faults.push({ field: 'to', code: 'not_allowed', detail: '"to" must not be before "from".' });
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
  return from === undefined || to === undefined ? undefined : { from, to };
}

function idOf({ params }: FastifyRequest<One>): string {
  return params.annotation_id.toLowerCase();
}
