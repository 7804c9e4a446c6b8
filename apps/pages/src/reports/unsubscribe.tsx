import { formatAddress } from '@hitherto/domain/format';
import { findSubscription, type SubscriptionDependencies, unsubscribe } from '@hitherto/domain/reports';
import type { WebsiteDependencies, WebsiteDirectory } from '@hitherto/domain/websites';
import { auditOrigin, ignoreBodies } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
    const entry = await findSubscription(deps, id, token);
    if (entry === undefined) throw pageNotFound();
    const { website, isOn } = entry;
    return sendPage(
      reply,
      <UnsubscribePage address={formatAddress(website.url)} action={isOn ? unsubscribePath(id, token) : undefined} />,
    );
  });

  scope.post(UNSUBSCRIBE, async (request, reply) => {
    const { id, token } = readLink(request);
    const website = await unsubscribe(deps, id, token, auditOrigin(request));
    if (website === undefined) throw pageNotFound();
    return sendPage(reply, <UnsubscribePage address={formatAddress(website.url)} action={undefined} />);
  });
}

function readLink(request: FastifyRequest): { id: string; token: string } {
  const parameters = queryParameters(request);
  return { id: (parameters.get('website') ?? '').toLowerCase(), token: parameters.get('token') ?? '' };
}

interface UnsubscribePageProps {
  /** The website's. */
  readonly address: string;
  /** Where the button posts to; `undefined` if the reports are off. */
  readonly action: string | undefined;
}

/** Asks whether to turn the weekly reports of a website off, or says that they are off. */
function UnsubscribePage({ address, action }: UnsubscribePageProps) {
  if (action === undefined) {
    return (
      <MessagePage title="Weekly reports are off">
        <p>
          You will get no more reports about <bdi>{address}</bdi>. To get them again, turn them on where they were
          turned on: in the settings of the website, or among your own mails.
        </p>
      </MessagePage>
    );
  }
  return (
    <MessagePage title="Stop weekly reports?">
      <p>
        A report about <bdi>{address}</bdi> is sent by e-mail every week.
      </p>
      <form method="post" action={action}>
        <button type="submit">Stop these reports</button>
      </form>
    </MessagePage>
  );
}
