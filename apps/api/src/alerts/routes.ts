import {
  type Alert,
  type AlertDependencies,
  type AlertInput,
  createAlert,
  deleteAlert,
  InvalidFields,
  listAlerts,
  showAlert,
  updateAlert,
} from '@hitherto/domain';
import { BODY_LIMIT, decodeJsonBodies, ignoreBodies, isNotModified } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, websiteOf } from '../authentication/authentication.ts';
import { etagOf, preconditionOf } from '../versions.ts';
import { DOCUMENTED } from './route-schemas.ts';

const ALL = '/api/v1/websites/:id/alerts';
const ONE = `${ALL}/:alert_id`;

interface OfWebsite {
  readonly Params: { readonly id: string; readonly alert_id?: string };
}

/** A body that the schemas have accepted. */
interface AlertBody extends Omit<AlertInput, 'goalId'> {
  readonly goal_id?: string | null;
}

/** Alerts of websites (sharing.md, "Alerts"), in the authenticated scope. */
export function alertRoutes(app: FastifyInstance, deps: AlertDependencies): void {
  const idOf = ({ params }: FastifyRequest<OfWebsite>) => params.alert_id?.toLowerCase() ?? '';
  const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });
  const shown = (reply: FastifyReply, alert: Alert) => {
    reply.header('etag', etagOf(alert));
    return { data: writeAlert(alert) };
  };

  app.register(async (reading) => {
    reading.get<OfWebsite>(ALL, { schema: DOCUMENTED.list }, async (request) => {
      return { data: (await listAlerts(deps, websiteOf(request))).map(writeAlert) };
    });

    reading.get<OfWebsite>(ONE, { schema: DOCUMENTED.show }, async (request, reply) => {
      const alert = await showAlert(deps, websiteOf(request), idOf(request));
      if (!isNotModified(request, etagOf(alert))) return shown(reply, alert);
      return reply.header('etag', etagOf(alert)).code(304).send();
    });
  });

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);

    writing.post<OfWebsite & { Body: AlertBody }>(ALL, { schema: DOCUMENTED.create }, async (request, reply) => {
      const website = websiteOf(request);
      const alert = await withWireNames(createAlert(changing(request), website, inputOf(request.body)));
      reply.code(201).header('location', `${ALL.replace(':id', website.websiteId)}/${alert.id}`);
      return shown(reply, alert);
    });

    writing.patch<OfWebsite & { Body: AlertBody }>(ONE, { schema: DOCUMENTED.update }, async (request, reply) => {
      const precondition = preconditionOf(request);
      const input = inputOf(request.body);
      const work = updateAlert(changing(request), websiteOf(request), idOf(request), input, precondition);
      return shown(reply, await withWireNames(work));
    });
  });

  app.register(async (deleting) => {
    ignoreBodies(deleting);

    deleting.delete<OfWebsite>(ONE, { schema: DOCUMENTED.remove }, async (request, reply) => {
      await deleteAlert(changing(request), websiteOf(request), idOf(request), preconditionOf(request));
      return reply.code(204).send();
    });
  });
}

function inputOf({ goal_id: goalId, ...body }: AlertBody): AlertInput {
  return { ...body, goalId };
}

/** The result of `work`; its faults get the names of the API. */
function withWireNames<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof InvalidFields)) throw error;
    throw new InvalidFields(
      error.faults.map((fault) => ({ ...fault, field: fault.field === 'goalId' ? 'goal_id' : fault.field })),
    );
  });
}

/** An alert as responses show it. */
function writeAlert(alert: Alert) {
  return {
    id: alert.id,
    rule: alert.rule,
    threshold: alert.threshold,
    hours: alert.hours,
    percent: alert.percent,
    goal_id: alert.goalId,
    email: alert.email,
    webhooks: alert.webhooks,
    created_at: alert.createdAt.toISOString(),
    updated_at: alert.updatedAt.toISOString(),
  };
}
