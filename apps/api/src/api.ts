import type { AccessRepository } from '@hitherto/domain/access';
import type { AlertDependencies } from '@hitherto/domain/alerts';
import type { AnnotationDependencies } from '@hitherto/domain/annotations';
import type { DefinitionDependencies } from '@hitherto/domain/definitions';
import type { CrawlerRepository } from '@hitherto/domain/hits';
import type { LinkDependencies } from '@hitherto/domain/links';
import type { RecipientDependencies } from '@hitherto/domain/recipients';
import type { WebsiteDependencies } from '@hitherto/domain/websites';
import {
  createAccountLimit,
  createKeyUse,
  type Documentation,
  decodeQueries,
  describeError,
  type Face,
  type FailedKeyLimit,
  forbidCaching,
  type Lifecycle,
  logRequests,
  type Metrics,
  Problem,
  sendProblem,
} from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { type AuditDependencies, auditRoutes } from './audit/routes.ts';
import { AUDIT_SCHEMAS, AuditQuery } from './audit/schemas.ts';
import { BRAND_SCHEMAS, brandRoutes } from './brand/routes.ts';
import { type HitDependencies, serverHitRoutes } from './hits/routes.ts';
import { HIT_SCHEMAS } from './hits/schemas.ts';
import { type ImportRouteDependencies, importRoutes } from './imports/routes.ts';
import { IMPORT_SCHEMAS, ImportQuery } from './imports/schemas.ts';
import { type CoverageRouteDependencies, coverageRoutes } from './insight/coverage-routes.ts';
import { COVERAGE_SCHEMAS, CoverageQuery } from './insight/coverage-schemas.ts';
import { type FindingDependencies, findingRoutes } from './insight/finding-routes.ts';
import { FINDING_SCHEMAS } from './insight/finding-schemas.ts';
import { PAGE_RULE_SCHEMAS, pageRuleRoutes } from './insight/page-rules.ts';
import { type InsightDependencies, insightRoutes } from './insight/routes.ts';
import { ChangeResponse } from './insight/schemas.ts';
import { SETTINGS_PREVIEW_SCHEMAS, settingsPreviewRoutes } from './insight/settings-preview.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { documentApi } from './openapi.ts';
import { operationRoutes, type SendExplanation } from './operations/routes.ts';
import { overviewRoutes } from './overview/routes.ts';
import { OverviewQuery, OverviewResponse } from './overview/schemas.ts';
import {
  isForPlausible,
  type PlausibleDependencies,
  plausibleApiRoutes,
  sendPlausibleError,
} from './plausible/routes.ts';
import { loggedKey, permit, requireKey } from './requests/authentication.ts';
import { readIntegers, rejectInvalidInput } from './requests/input.ts';
import { boundUnsentLists } from './requests/unsent-lists.ts';
import { alertRoutes } from './resources/alerts/routes.ts';
import { ALERT_SCHEMAS } from './resources/alerts/schemas.ts';
import { annotationRoutes } from './resources/annotations/routes.ts';
import { ANNOTATION_SCHEMAS } from './resources/annotations/schemas.ts';
import { type CleanupRouteDependencies, cleanupRoutes } from './resources/cleanups/routes.ts';
import { CLEANUP_SCHEMAS } from './resources/cleanups/schemas.ts';
import { DEFINITION_SCHEMAS, definitionRoutes } from './resources/definitions/routes.ts';
import { linkRoutes } from './resources/links/routes.ts';
import { LINK_SCHEMAS } from './resources/links/schemas.ts';
import { recipientRoutes } from './resources/recipients/routes.ts';
import { RECIPIENT_SCHEMAS } from './resources/recipients/schemas.ts';
import { type WebhookRouteDependencies, webhookRoutes } from './resources/webhooks/routes.ts';
import { WEBHOOK_SCHEMAS } from './resources/webhooks/schemas.ts';
import { VALUES_QUERY } from './statistics/query-schemas.ts';
import { STATISTICS_SCHEMAS } from './statistics/response-schemas.ts';
import { statisticsRoutes } from './statistics/routes.ts';
import { statsRoutes } from './statistics/stats-routes.ts';
import { StatsResponse } from './statistics/stats-schemas.ts';
import { websiteRoutes } from './websites/routes.ts';
import { ListQuery, NAMED_SCHEMAS, UpdateForm } from './websites/schemas.ts';

/** The dependencies and settings of the API. */
export interface ApiDependencies
  extends WebsiteDependencies,
    DefinitionDependencies,
    LinkDependencies,
    RecipientDependencies,
    AnnotationDependencies,
    InsightDependencies,
    FindingDependencies,
    AuditDependencies,
    PlausibleDependencies,
    ImportRouteDependencies,
    CoverageRouteDependencies,
    HitDependencies,
    WebhookRouteDependencies,
    AlertDependencies,
    CleanupRouteDependencies {
  readonly crawlers: CrawlerRepository;
  readonly access: AccessRepository;
  readonly metrics: Metrics;
  /** The version of the program, for the OpenAPI document. */
  readonly version: string;
  /** The documentation of other faces, for the OpenAPI document. */
  readonly documented: readonly Documentation[];
  readonly lifecycle: Lifecycle;
  /** Rejects while the database is unreachable. */
  readonly ping: () => Promise<void>;
  /** An engine outside of the database, whose state `/readyz` names. */
  readonly outside?: { readonly ping: () => Promise<void> };
  readonly failedKeys: FailedKeyLimit;
  /** If absent, browsers get explanations of problems as JSON, too. */
  readonly sendExplanation?: SendExplanation;
  /** Requests per minute and account; 0 for no limit. */
  readonly rateLimitPerMinute: number;
}

const SCHEMAS = [
  ...NAMED_SCHEMAS,
  ...DEFINITION_SCHEMAS,
  ...LINK_SCHEMAS,
  ...RECIPIENT_SCHEMAS,
  ...ANNOTATION_SCHEMAS,
  ...CLEANUP_SCHEMAS,
  ...STATISTICS_SCHEMAS,
  StatsResponse,
  ChangeResponse,
  ...SETTINGS_PREVIEW_SCHEMAS,
  ...PAGE_RULE_SCHEMAS,
  OverviewResponse,
  ...BRAND_SCHEMAS,
  ...FINDING_SCHEMAS,
  ...COVERAGE_SCHEMAS,
  ...HIT_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...ALERT_SCHEMAS,
  ...IMPORT_SCHEMAS,
];

/** The REST API, its documentation, and the routes for operators. Errors are problem details, or in the form of Plausible's clients; responses are not cached. */
export function createApi(deps: ApiDependencies): Face {
  return {
    sendError(error, request, reply) {
      const send = isForPlausible(request) ? sendPlausibleError : sendProblem;
      send(error, request, reply);
    },
    async register(scope) {
      forbidCaching(scope);
      logRequests(scope, loggedKey);
      for (const schema of [Problem, ...SCHEMAS]) scope.addSchema(schema);
      await documentApi(scope, deps.version, deps.documented);
      await scope.register(async (open) => operationRoutes(open, deps));
      await scope.register((authenticated) => accountRoutes(authenticated, deps));
    },
  };
}

/** The routes that need a key. */
async function accountRoutes(scope: FastifyInstance, deps: ApiDependencies): Promise<void> {
  const keyUse = createKeyUse(deps.access, (error) =>
    scope.log.warn({ error: describeError(error) }, 'last-used times of keys not written'),
  );
  scope.addHook('onClose', () => keyUse.stop());
  const accountLimit = deps.rateLimitPerMinute === 0 ? undefined : createAccountLimit(deps.rateLimitPerMinute);
  await requireKey(scope, { ...deps, keyUse, accountLimit });
  decodeQueries(scope);
  rejectInvalidInput(scope);
  readIntegers(scope, [
    ListQuery,
    VALUES_QUERY.schema,
    AuditQuery,
    UpdateForm,
    ImportQuery,
    CoverageQuery,
    OverviewQuery,
  ]);
  const enterList = boundUnsentLists(scope);

  scope.register(async (group) => {
    permit(group, { read: 'see_statistics', write: 'change_settings' });
    websiteRoutes(group, deps, enterList);
    definitionRoutes(group, deps, enterList);
    annotationRoutes(group, deps);
    statisticsRoutes(group, deps);
    insightRoutes(group, deps);
    overviewRoutes(group, deps, enterList);
    group.register(async (stats) => statsRoutes(stats, deps));
  });
  scope.register(async (group) => {
    permit(group, { read: 'see_settings', write: 'change_settings' });
    linkRoutes(group, deps);
    recipientRoutes(group, deps);
    cleanupRoutes(group, deps);
    settingsPreviewRoutes(group, deps);
    pageRuleRoutes(group, deps);
    serverHitRoutes(group, deps);
    importRoutes(group, deps, accountLimit);
    coverageRoutes(group, deps, accountLimit);
    auditRoutes(group, deps, enterList);
    alertRoutes(group, deps);
    findingRoutes(group, deps);
  });
  scope.register(async (group) => {
    permit(group, { read: 'see_webhooks', write: 'change_webhooks' });
    webhookRoutes(group, deps);
  });
  scope.register(async (group) => brandRoutes(group, deps));
  scope.register(async (group) => {
    // The requests of these read, whatever their method.
    permit(group, { read: 'see_statistics', write: 'see_statistics' });
    plausibleApiRoutes(group, deps);
    mcpRoutes(group, deps);
  });
}
