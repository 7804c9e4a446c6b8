import { type DeliverDependencies, retryDelivery, testWebhook, type Webhook } from '@hitherto/domain/webhooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, valueIn } from '../../../shared/form.ts';
import { resourcePath, WEBHOOKS, webhooksPath } from '../../../shared/paths.ts';
import { Failed } from '../../notices.tsx';
import { accountOf, actForAccount, actForAccountInPath, requireRight, requireWriteScope } from '../../session.ts';
import { rejectionOf } from '../rejection.ts';
import { type OneResource, resourceRoutes } from '../resource-routes.tsx';
import { WEBHOOK_PAGES, type WebhookPagesDependencies } from './webhooks.tsx';

export interface WebhookRoutesDependencies extends WebhookPagesDependencies {
  /** Sends tests. */
  readonly deliveries: DeliverDependencies;
}

/** The pages of the webhooks of an account (webhooks.md); the scope has a session. */
export function webhookRoutes(scope: FastifyInstance, deps: WebhookRoutesDependencies): void {
  scope.register(async (leading) => {
    actForAccount(leading, 'see_webhooks');
    requireRight(leading, 'see_webhooks');
    leading.get(WEBHOOKS, async (request, reply) => reply.redirect(webhooksPath(accountOf(request)), 303));
  });
  scope.register(async (ofAccount) => {
    actForAccountInPath(ofAccount);
    requireRight(ofAccount, 'see_webhooks');
    pagesOfWebhooks(ofAccount, deps);
  });
}

/** The pages of webhooks, and the forms that send a test or a delivery again. */
function pagesOfWebhooks(scope: FastifyInstance, deps: WebhookRoutesDependencies): void {
  const { open, find, showStored } = resourceRoutes(scope, deps, WEBHOOK_PAGES);
  const sending = { ...deps.deliveries, webhooks: deps.webhooks };

  /** Redirects to the webhook with the outcome of an action, or shows why it failed. */
  const act = async (
    request: FastifyRequest<OneResource>,
    reply: FastifyReply,
    action: (accountId: string, webhook: Webhook) => Promise<string>,
  ) => {
    const visit = await open(request, reply);
    const webhook = await find(visit.found, request);
    try {
      const outcome = await action(visit.found.owner.accountId, webhook);
      return reply.redirect(`${resourcePath(visit.found.list, webhook.id)}?${outcome}`, 303);
    } catch (error) {
      const { status, reason } = rejectionOf(error, 'webhook', visit.found.locale) ?? {};
      if (status === undefined || reason === undefined) throw error;
      reply.code(status);
      return showStored(visit, webhook, { once: <Failed text={reason} /> });
    }
  };

  // A GET of a form's action URL redirects to the webhook.
  for (const action of ['test', 'retry'] as const) {
    scope.get<OneResource>(resourcePath(webhooksPath(':id'), ':resource', action), (request, reply) =>
      reply.redirect(resourcePath(webhooksPath(accountOf(request)), encodeURIComponent(request.params.resource)), 303),
    );
  }

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<OneResource>(resourcePath(webhooksPath(':id'), ':resource', 'test'), (request, reply) =>
      act(request, reply, async (accountId, { id }) => `tested=${(await testWebhook(sending, accountId, id)).id}`),
    );

    writing.post<OneResource & Body>(resourcePath(webhooksPath(':id'), ':resource', 'retry'), (request, reply) =>
      act(request, reply, async (accountId, { id }) => {
        await retryDelivery(deps, accountId, id, valueIn(request.body, 'delivery') ?? '');
        return 'retried';
      }),
    );
  });
}
