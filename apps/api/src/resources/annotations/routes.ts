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
import { deleteResource, updateResource } from '@hitherto/domain/resources';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorOf, websiteOf } from '../../requests/authentication.ts';
import { parseBody, shapeFaults } from '../../requests/input.ts';
import { etagOf } from '../../requests/versions.ts';
import { createRepeatably, idIn, resourceRoutes } from '../resource-routes.ts';
import { documented, toAnnotationResource } from './schemas.ts';

const ALL = '/api/v1/websites/:id/annotations';

/** Annotations (api.md, "Annotations"), in the authenticated scope. */
export function annotationRoutes(app: FastifyInstance, deps: AnnotationDependencies): void {
  const idOf = (request: FastifyRequest) => idIn(request, 'annotation_id');
  const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });

  resourceRoutes<Annotation, AnnotationInput>(app, {
    all: ALL,
    one: `${ALL}/:annotation_id`,
    documented,
    listHasParameters: true,

    async list(request) {
      const days = daysOf(request.query as DaysOfQuery, shapeFaults(request));
      return (await listAnnotations(deps, websiteOf(request), days)).map(toAnnotationResource);
    },

    create(request) {
      const fields = () => parseBody(request.body, shapeFaults(request), parseNewAnnotation);
      return createRepeatably(request, changing(request), ANNOTATION, websiteOf(request), fields);
    },

    update(request, precondition) {
      const changes = parseBody(request.body, shapeFaults(request), parseAnnotationChanges);
      return updateResource(changing(request), ANNOTATION, websiteOf(request), idOf(request), changes, precondition);
    },

    remove: (request, precondition) =>
      deleteResource(changing(request), ANNOTATION, websiteOf(request), idOf(request), precondition),
    write: (annotation) => ({ data: toAnnotationResource(annotation), etag: etagOf(annotation) }),
  });
}

interface DaysOfQuery {
  readonly from?: string;
  readonly to?: string;
}

/** The days of a query: both or neither. */
function daysOf({ from, to }: DaysOfQuery, shapeFaults: readonly WireFault[]): Period | undefined {
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
