import { DEFINITION_TYPES, type Definition, type DefinitionKind } from '@hitherto/domain/definitions';
import { deleteResource } from '@hitherto/domain/resources';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, valuesIn } from '../../shared/form.ts';
import { sendPage } from '../../shared/page.tsx';
import { deleteDefinitionPath, websitePath } from '../../shared/paths.ts';
import { frameOf } from '../found-website.ts';
import { deleteOnce } from '../not-found.ts';
import { authorOf, requireWriteScope } from '../session.ts';
import { requireVersion, versionOf } from '../versions.ts';
import { WebsiteFrame } from '../website-frame.tsx';
import type { DefinitionPages } from './definition-pages.ts';
import { DeleteDefinition } from './delete-definition.tsx';
import {
  type DefinitionRoutesDependencies,
  type One,
  type OpenedWebsite,
  openWebsite,
  storedOne,
  summaryOf,
} from './open-website.ts';
import { rejectionOf } from './save-definition.ts';

/** Asks before a definition is deleted. */
export function deletionRoutes<Kind extends DefinitionKind, Aids>(
  scope: FastifyInstance,
  deps: DefinitionRoutesDependencies,
  pages: DefinitionPages<Kind, Aids>,
): void {
  const { kind, page } = pages;
  const path = deleteDefinitionPath(':id', page, ':definition');

  const ask = async (
    request: FastifyRequest,
    reply: FastifyReply,
    opened: OpenedWebsite,
    definition: Definition<Kind>,
    reason?: string,
  ) => {
    const frame = frameOf(request, opened.shown, page);
    const summary = await summaryOf(deps, pages, opened, definition);
    const warning = await pages.warn?.(deps, opened.website, definition.id);
    return sendPage(
      reply,
      <WebsiteFrame {...frame} title={`Delete a ${kind}`}>
        <DeleteDefinition
          kind={kind}
          name={definition.name}
          summary={summary}
          warning={warning}
          version={versionOf(definition)}
          action={deleteDefinitionPath(opened.shown.id, page, definition.id)}
          backHref={websitePath(opened.shown.id, page)}
          reason={reason}
          canWrite={frame.canWrite}
        />
      </WebsiteFrame>,
    );
  };

  scope.get<One>(path, async (request, reply) => {
    const opened = await openWebsite(deps, request);
    return ask(request, reply, opened, await storedOne(deps, kind, opened, request));
  });

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<One & Body>(path, async (request, reply) => {
      const opened = await openWebsite(deps, request);
      const id = request.params.definition.toLowerCase();
      const { version } = valuesIn(request.body);
      try {
        const deleting = { ...deps, author: authorOf(request) };
        await deleteOnce(deleteResource(deleting, DEFINITION_TYPES[kind], opened.website, id, requireVersion(version)));
        return reply.redirect(`${websitePath(opened.shown.id, page)}?deleted`, 303);
      } catch (error) {
        const rejection = rejectionOf(error, kind);
        if (rejection === undefined) throw error;
        const stored = await storedOne(deps, kind, opened, request);
        return ask(request, reply.code(rejection.status), opened, stored, rejection.reason);
      }
    });
  });
}
