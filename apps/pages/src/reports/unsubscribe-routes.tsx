import {
  addressOf,
  findSubscription,
  type SubscriptionDependencies,
  unsubscribe,
  type WebsiteDependencies,
} from '@hitherto/domain';
import { ignoreBodies } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UNSUBSCRIBE, unsubscribePath } from '../paths.ts';
import { pageNotFound } from '../shared/send-error.tsx';
import { sendPage } from '../shared/send-page.ts';
import { queryParameters } from '../statistics/read-selection.ts';
import { UnsubscribePage } from './unsubscribe-page.tsx';

export interface UnsubscribeRouteDependencies extends SubscriptionDependencies, WebsiteDependencies {}

/**
 * Turns the reports of a website off without signing in (statistics.md, section 9). Mail programs send the POST on
 * their own, as a form in any encoding (RFC 8058); mail scanners open the page, which changes nothing. The token
 * protects it, so any origin is accepted.
 */
export function unsubscribeRoutes(scope: FastifyInstance, deps: UnsubscribeRouteDependencies): void {
  ignoreBodies(scope);

  scope.get(UNSUBSCRIBE, async (request, reply) => {
    const { id, token } = readLink(request);
    const entry = await findSubscription(deps, id, token);
    if (entry === undefined) throw pageNotFound();
    const { url, emailReports } = entry.website;
    return sendPage(
      reply,
      <UnsubscribePage address={addressOf(url)} action={emailReports ? unsubscribePath(id, token) : undefined} />,
    );
  });

  scope.post(UNSUBSCRIBE, async (request, reply) => {
    const { id, token } = readLink(request);
    const website = await unsubscribe(deps, id, token);
    if (website === undefined) throw pageNotFound();
    return sendPage(reply, <UnsubscribePage address={addressOf(website.url)} action={undefined} />);
  });
}

function readLink(request: FastifyRequest): { id: string; token: string } {
  const parameters = queryParameters(request);
  return { id: (parameters.get('website') ?? '').toLowerCase(), token: parameters.get('token') ?? '' };
}
