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
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorOf, websiteOf } from '../../requests/authentication.ts';
import { parseBody, shapeFaults } from '../../requests/input.ts';
import { etagOf } from '../../requests/versions.ts';
import { idIn, resourceRoutes } from '../resource-routes.ts';
import { DOCUMENTED } from './route-schemas.ts';

const ALL = '/api/v1/websites/:id/alerts';

/** Alerts of websites (alerts.md), in the authenticated scope. */
export function alertRoutes(app: FastifyInstance, deps: AlertDependencies): void {
  const idOf = (request: FastifyRequest) => idIn(request, 'alert_id');
  const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });

  resourceRoutes<Alert, AlertInput>(app, {
    all: ALL,
    one: `${ALL}/:alert_id`,
    documented: DOCUMENTED,
    list: async (request) => (await listResources(deps, ALERT, websiteOf(request))).map(writeAlert),
    show: (request) => showResource(deps, ALERT, websiteOf(request), idOf(request)),

    async create(request) {
      const website = websiteOf(request);
      const settings = parseBody(request.body, shapeFaults(request), parseAlert);
      const resource = await createAlert(changing(request), website, settings);
      return { resource, location: `${ALL.replace(':id', website.websiteId)}/${resource.id}` };
    },

    update(request, precondition) {
      const changes = parseBody(request.body, shapeFaults(request), parseAlertChanges);
      return updateResource(changing(request), ALERT, websiteOf(request), idOf(request), changes, precondition);
    },

    remove: (request, precondition) =>
      deleteResource(changing(request), ALERT, websiteOf(request), idOf(request), precondition),
    write: (alert) => ({ data: writeAlert(alert), etag: etagOf(alert) }),
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
