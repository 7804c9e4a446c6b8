import { type AccessRepository, may, type Viewer } from '@hitherto/domain/access';
import { type Fault, UrlTaken } from '@hitherto/domain/base';
import { viewersOf } from '@hitherto/domain/people';
import { moveWebsite, type Website, type WebsiteDependencies } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, valueIn } from '../shared/form.ts';
import { localeFor } from '../shared/locale.tsx';
import { sendPage } from '../shared/page.tsx';
import { websitePath } from '../shared/paths.ts';
import { pageNotFound } from '../shared/send-error.tsx';
import { SelectField } from './field.tsx';
import { type ById, frameOf, websiteOf } from './found-website.ts';
import { authorOf, requireRight, signedInOf, viewerOf } from './session.ts';
import { WebsiteFrame } from './website-frame.tsx';

interface MoveDependencies extends WebsiteDependencies {
  readonly access: AccessRepository;
}

/** Moving a website to another account, for people who own both (people.md, "Moving a website"). */
export function moveRoutes(scope: FastifyInstance, deps: MoveDependencies): void {
  requireRight(scope, 'manage_account');

  scope.get<ById>(websitePath(':id', 'move'), async (request, reply) =>
    send(request, reply, await websiteOf(deps, request), []),
  );

  scope.post<ById & Body>(websitePath(':id', 'move'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const to = otherOwned(request).find(({ accountId }) => accountId === valueIn(request.body, 'account'));
    if (to === undefined) throw pageNotFound();
    try {
      await moveWebsite({ ...deps, author: authorOf(request) }, viewerOf(request), website.id, to.accountId);
      return reply.redirect(`${websitePath(website.id)}?saved`, 303);
    } catch (error) {
      if (!(error instanceof UrlTaken)) throw error;
      const detail = localeFor(request).words.move.taken;
      return send(request, reply.code(409), website, [{ field: 'account', code: 'not_allowed', detail }]);
    }
  });

  async function send(
    request: FastifyRequest<ById>,
    reply: FastifyReply,
    website: Website,
    faults: readonly Fault[],
  ): Promise<FastifyReply> {
    const accounts = await Promise.all(
      otherOwned(request).map(
        async ({ accountId }) => [accountId, (await deps.access.findAccount(accountId))?.name ?? ''] as const,
      ),
    );
    const { move } = localeFor(request).words;
    return sendPage(
      reply,
      <WebsiteFrame {...frameOf(request, website, 'move')}>
        {accounts.length === 0 ? (
          <p>{move.noOther}</p>
        ) : (
          <form class="settings" method="post" action={websitePath(website.id, 'move')}>
            <p>{move.explained}</p>
            <SelectField name="account" label={move.to} options={accounts} faults={faults} />
            <button type="submit">{move.move}</button>
          </form>
        )}
      </WebsiteFrame>,
    );
  }
}

/** The other accounts that the person owns. */
function otherOwned(request: FastifyRequest): Viewer[] {
  const { accountId } = viewerOf(request);
  return viewersOf(signedInOf(request)).filter(
    (viewer) => viewer.accountId !== accountId && may(viewer, 'manage_account'),
  );
}
