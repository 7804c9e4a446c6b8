import { formatAddress } from '@hitherto/domain/format';
import {
  findSubscription,
  type ReportSubscription,
  type SubscriptionDependencies,
  unsubscribe,
} from '@hitherto/domain/reports';
import type { WebsiteDependencies, WebsiteDirectory } from '@hitherto/domain/websites';
import { auditOrigin, ignoreBodies } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { useLocale } from '../shared/locale.tsx';
import { MessagePage, sendPage } from '../shared/page.tsx';
import { UNSUBSCRIBE, unsubscribePath } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { pageNotFound } from '../shared/send-error.tsx';

export interface UnsubscribeRouteDependencies extends SubscriptionDependencies, WebsiteDependencies {
  readonly directory: WebsiteDirectory;
}

/**
 * Turns the reports of a website off without signing in (reports.md). Mail programs send the POST on
 * their own, as a form in any encoding (RFC 8058); mail scanners open the page, which changes nothing. The token
 * protects it, so any origin is accepted.
 */
export function unsubscribeRoutes(scope: FastifyInstance, deps: UnsubscribeRouteDependencies): void {
  ignoreBodies(scope);

  scope.get(UNSUBSCRIBE, async (request, reply) => {
    const { id, token } = readLink(request);
    const found = await findSubscription(deps, id, token);
    if (found === undefined) throw pageNotFound();
    return sendPage(reply, <UnsubscribePage subscription={found} action={unsubscribePath(id, token)} />);
  });

  scope.post(UNSUBSCRIBE, async (request, reply) => {
    const { id, token } = readLink(request);
    const found = await unsubscribe(deps, id, token, auditOrigin(request));
    if (found === undefined) throw pageNotFound();
    return sendPage(reply, <UnsubscribePage subscription={found} action={unsubscribePath(id, token)} />);
  });
}

function readLink(request: FastifyRequest): { id: string; token: string } {
  const parameters = queryParameters(request);
  return { id: (parameters.get('website') ?? '').toLowerCase(), token: parameters.get('token') ?? '' };
}

interface UnsubscribePageProps {
  readonly subscription: ReportSubscription;
  /** Where the button posts to. */
  readonly action: string;
}

/** Asks whether to turn the reports of a website off, or says that they are off. */
function UnsubscribePage({ subscription: { website, kind, recipientId, isOn }, action }: UnsubscribePageProps) {
  const { reports } = useLocale().words;
  const address = <bdi>{formatAddress(website.url)}</bdi>;
  if (recipientId !== undefined) {
    return (
      <MessagePage title={isOn ? reports.stopAllTitle : reports.offAll}>
        <p>{isOn ? reports.stopAllText(address) : reports.offAllText(address)}</p>
        {isOn && (
          <form method="post" action={action}>
            <button type="submit">{reports.stop}</button>
          </form>
        )}
      </MessagePage>
    );
  }
  if (!isOn) {
    return (
      <MessagePage title={reports.off[kind]}>
        <p>{reports.offText(address)}</p>
      </MessagePage>
    );
  }
  return (
    <MessagePage title={reports.stopTitle[kind]}>
      <p>{reports.sentText[kind](address)}</p>
      <form method="post" action={action}>
        <button type="submit">{reports.stop}</button>
      </form>
    </MessagePage>
  );
}
