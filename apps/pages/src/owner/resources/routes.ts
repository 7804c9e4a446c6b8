import type { FastifyInstance } from 'fastify';
import { ALERTS, type AlertPagesDependencies } from './alerts/alerts.tsx';
import { ANNOTATIONS, type AnnotationPagesDependencies } from './annotations.tsx';
import { cleanupRoutes } from './cleanup-routes.tsx';
import type { CleanupPagesDependencies } from './cleanups.tsx';
import type { DefinitionPagesDependencies } from './definitions/definition-pages.tsx';
import { FUNNELS } from './definitions/funnels.tsx';
import { GOALS } from './definitions/goals.tsx';
import { SEGMENTS } from './definitions/segments.tsx';
import { LINKS, type LinkPagesDependencies } from './links.tsx';
import { RECIPIENTS, type RecipientPagesDependencies } from './recipients.tsx';
import { resourceRoutes } from './resource-routes.tsx';
import type { WebhookRoutesDependencies } from './webhooks/webhook-routes.tsx';

export interface ResourceDependencies
  extends DefinitionPagesDependencies,
    LinkPagesDependencies,
    RecipientPagesDependencies,
    AnnotationPagesDependencies,
    CleanupPagesDependencies,
    AlertPagesDependencies,
    WebhookRoutesDependencies {}

/** The pages of the resources of a website; the scope has a session. */
export function websiteResourceRoutes(scope: FastifyInstance, deps: ResourceDependencies): void {
  resourceRoutes(scope, deps, GOALS);
  resourceRoutes(scope, deps, FUNNELS);
  resourceRoutes(scope, deps, SEGMENTS);
  resourceRoutes(scope, deps, LINKS);
  resourceRoutes(scope, deps, RECIPIENTS);
  resourceRoutes(scope, deps, ANNOTATIONS);
  cleanupRoutes(scope, deps);
  resourceRoutes(scope, deps, ALERTS);
}
