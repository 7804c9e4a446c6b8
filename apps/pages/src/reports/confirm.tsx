import type { AccessRepository } from '@hitherto/domain/access';
import { formatAddress } from '@hitherto/domain/format';
import type { FoundRecipient } from '@hitherto/domain/recipients';
import { type ConfirmDependencies, confirmRecipient, findConfirmation } from '@hitherto/domain/reports';
import { auditOrigin, decodeForms } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { useLocale } from '../shared/locale.tsx';
import { hideAddress, MessagePage } from '../shared/page.tsx';
import { CONFIRM } from '../shared/paths.ts';
import { sendBranded } from '../shared/send-branded.tsx';
import { pageNotFound } from '../shared/send-error.tsx';

interface ConfirmRouteDependencies extends ConfirmDependencies {
  readonly access: AccessRepository;
}

/**
 * Confirms that an address gets the reports of a website (reports.md). Mail scanners open the page, which changes nothing; the
 * button does. The token protects it, so any origin is accepted.
 */
export function confirmRoutes(scope: FastifyInstance, deps: ConfirmRouteDependencies): void {
  decodeForms(scope);
  hideAddress(scope);
  const path = `${CONFIRM}/:token`;

  scope.get<{ Params: { token: string } }>(path, async (request, reply) => {
    const found = await findConfirmation(deps, request.params.token);
    if (found === undefined) throw pageNotFound();
    return sendBranded(deps, found.accountId, reply, <ConfirmPage found={found} token={request.params.token} />);
  });

  scope.post<{ Params: { token: string } }>(path, async (request, reply) => {
    const found = await confirmRecipient(deps, request.params.token, auditOrigin(request));
    if (found === undefined) throw pageNotFound();
    return sendBranded(deps, found.accountId, reply, <ConfirmPage found={found} token={request.params.token} />);
  });
}

/** Asks whether an address gets reports, or says that it does. */
function ConfirmPage({
  found: { website, recipient },
  token,
}: {
  readonly found: FoundRecipient;
  readonly token: string;
}) {
  const { reports } = useLocale().words;
  const address = <bdi>{formatAddress(website.url)}</bdi>;
  const email = <bdi>{recipient.email}</bdi>;
  if (recipient.confirmedAt !== null) {
    return (
      <MessagePage title={reports.confirmed}>
        <p>{reports.confirmedText(email, address)}</p>
      </MessagePage>
    );
  }
  return (
    <MessagePage title={reports.confirmTitle}>
      <p>{reports.confirmText(email, address)}</p>
      <form method="post" action={`${CONFIRM}/${token}`}>
        <button type="submit">{reports.confirm}</button>
      </form>
    </MessagePage>
  );
}
