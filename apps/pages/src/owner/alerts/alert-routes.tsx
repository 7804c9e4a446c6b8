import { ALERT, type AlertDependencies, createAlert, parseAlert } from '@hitherto/domain/alerts';
import { type Fault, InvalidFields } from '@hitherto/domain/base';
import { type DefinitionRepositories, GOAL } from '@hitherto/domain/definitions';
import type { ReportMailing } from '@hitherto/domain/reports';
import { deleteResource, listResources } from '@hitherto/domain/resources';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, valueIn, valuesIn } from '../../shared/form.ts';
import { sendPage } from '../../shared/page.tsx';
import { websitePath } from '../../shared/paths.ts';
import { type ById, frameOf, websiteOf } from '../found-website.ts';
import { deleteOnce } from '../not-found.ts';
import { accountOf, authorOf, requireWriteScope } from '../session.ts';
import { WebsiteFrame } from '../website-frame.tsx';
import { type AlertValues, inputOf, placeFault } from './alert-form.ts';
import { AlertsPage } from './alerts-page.tsx';

export interface AlertRoutesDependencies extends AlertDependencies {
  readonly definitions: DefinitionRepositories;
  /** `undefined` without a mail server. */
  readonly reportMailing: ReportMailing | undefined;
}

const EMPTY: AlertValues = { email: '1', webhooks: '1' };

/** The alerts of a website (alerts.md); the scope has a session. */
export function alertRoutes(scope: FastifyInstance, deps: AlertRoutesDependencies): void {
  const path = websitePath(':id', 'alerts');

  const send = async (
    request: FastifyRequest<ById>,
    reply: FastifyReply,
    values = EMPTY,
    faults: readonly Fault[] = [],
  ) => {
    const website = await websiteOf(deps, request);
    const key = { accountId: accountOf(request), websiteId: website.id };
    const frame = frameOf(request, website, 'alerts');
    return sendPage(
      reply,
      <WebsiteFrame {...frame}>
        <AlertsPage
          websiteId={website.id}
          alerts={await listResources(deps, ALERT, key)}
          goals={await listResources(deps, GOAL, key)}
          values={values}
          faults={faults}
          canWrite={frame.canWrite}
          sendsMails={deps.reportMailing !== undefined}
        />
      </WebsiteFrame>,
    );
  };

  scope.get<ById>(path, (request, reply) => send(request, reply));
  // A GET of a form's action URL redirects to the list.
  scope.get<ById>(`${path}/delete`, (request, reply) =>
    reply.redirect(websitePath(encodeURIComponent(request.params.id), 'alerts'), 303),
  );

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<ById & Body>(path, async (request, reply) => {
      const website = await websiteOf(deps, request);
      const key = { accountId: accountOf(request), websiteId: website.id };
      const values = valuesIn(request.body);
      try {
        await createAlert({ ...deps, author: authorOf(request) }, key, parseAlert(inputOf(values)));
      } catch (error) {
        if (!(error instanceof InvalidFields)) throw error;
        const faults = error.faults.map((fault) => placeFault(fault, values));
        return send(request, reply.code(422), values, faults);
      }
      return reply.redirect(websitePath(website.id, 'alerts'), 303);
    });

    writing.post<ById & Body>(`${path}/delete`, async (request, reply) => {
      const website = await websiteOf(deps, request);
      const key = { accountId: accountOf(request), websiteId: website.id };
      await deleteOnce(
        deleteResource({ ...deps, author: authorOf(request) }, ALERT, key, valueIn(request.body, 'alert') ?? ''),
      );
      return reply.redirect(websitePath(website.id, 'alerts'), 303);
    });
  });
}
