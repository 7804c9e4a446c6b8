import {
  ALERT,
  type Alert,
  type AlertDependencies,
  type AlertInput,
  createAlert,
  parseAlert,
  parseAlertChanges,
} from '@hitherto/domain/alerts';
import { deleteResource, listResources, showResource, updateResource } from '@hitherto/domain/resources';
import { BODY_LIMIT, decodeJsonBodies, ignoreBodies, isNotModified } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, websiteOf } from '../requests/authentication.ts';
import { parseBody, shapeFaults } from '../requests/input.ts';
import { etagOf, preconditionOf } from '../requests/versions.ts';
import { DOCUMENTED } from './route-schemas.ts';

const ALL = '/api/v1/websites/:id/alerts';
const ONE = `${ALL}/:alert_id`;

interface OfWebsite {
  readonly Params: { readonly id: string; readonly alert_id?: string };
}

/** Alerts of websites (alerts.md), in the authenticated scope. */
export function alertRoutes(app: FastifyInstance, deps: AlertDependencies): void {
  const idOf = ({ params }: FastifyRequest<OfWebsite>) => params.alert_id?.toLowerCase() ?? '';
  const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });
  const shown = (reply: FastifyReply, alert: Alert) => {
    reply.header('etag', etagOf(alert));
    return { data: writeAlert(alert) };
  };

  app.register(async (reading) => {
    reading.get<OfWebsite>(ALL, { schema: DOCUMENTED.list }, async (request) => {
      return { data: (await listResources(deps, ALERT, websiteOf(request))).map(writeAlert) };
    });

    reading.get<OfWebsite>(ONE, { schema: DOCUMENTED.show }, async (request, reply) => {
      const alert = await showResource(deps, ALERT, websiteOf(request), idOf(request));
      if (!isNotModified(request, etagOf(alert))) return shown(reply, alert);
      return reply.header('etag', etagOf(alert)).code(304).send();
    });
  });

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);

    writing.post<OfWebsite & { Body: AlertInput }>(
      ALL,
      { schema: DOCUMENTED.create, config: { mergesFaults: true } },
      async (request, reply) => {
        const website = websiteOf(request);
        const settings = parseBody(request.body, shapeFaults(request), parseAlert);
        const alert = await createAlert(changing(request), website, settings);
        reply.code(201).header('location', `${ALL.replace(':id', website.websiteId)}/${alert.id}`);
        return shown(reply, alert);
      },
    );

    writing.patch<OfWebsite & { Body: AlertInput }>(
      ONE,
      { schema: DOCUMENTED.update, config: { mergesFaults: true } },
      async (request, reply) => {
        const changes = parseBody(request.body, shapeFaults(request), parseAlertChanges);
        const precondition = preconditionOf(request);
        return shown(
          reply,
          await updateResource(changing(request), ALERT, websiteOf(request), idOf(request), changes, precondition),
        );
      },
    );
  });

  app.register(async (deleting) => {
    ignoreBodies(deleting);

    deleting.delete<OfWebsite>(ONE, { schema: DOCUMENTED.remove }, async (request, reply) => {
      await deleteResource(changing(request), ALERT, websiteOf(request), idOf(request), preconditionOf(request));
      return reply.code(204).send();
    });
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
