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

const WORDS = {
  weekly: { off: 'Weekly reports are off', stop: 'Stop weekly reports?', every: 'every week' },
  monthly: { off: 'Monthly reports are off', stop: 'Stop monthly reports?', every: 'every month' },
} as const;

/** Asks whether to turn the reports of a website off, or says that they are off. */
function UnsubscribePage({ subscription: { website, kind, isOn }, action }: UnsubscribePageProps) {
  const words = WORDS[kind];
  const address = <bdi>{formatAddress(website.url)}</bdi>;
  if (!isOn) {
    return (
      <MessagePage title={words.off}>
        <p>
          You will get no more of them about {address}. To get them again, turn them on where they were turned on: in
          the settings of the website, or among your own mails.
        </p>
      </MessagePage>
    );
  }
  return (
    <MessagePage title={words.stop}>
      <p>
        A report about {address} is sent by e-mail {words.every}.
      </p>
      <form method="post" action={action}>
        <button type="submit">Stop these reports</button>
      </form>
    </MessagePage>
  );
}
