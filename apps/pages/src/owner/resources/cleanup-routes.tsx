import { type Cleanup, eraseCleanup } from '@hitherto/domain/cleanups';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Body, valueIn } from '../../shared/form.ts';
import { sendPage } from '../../shared/page.tsx';
import { resourcePath, websitePath } from '../../shared/paths.ts';
import { TextField } from '../field.tsx';
import { authorOf, requireWriteScope } from '../session.ts';
import { CLEANUPS, type CleanupPagesDependencies } from './cleanups.tsx';
import type { OpenedWebsite } from './opened.tsx';
import { rejectionOf } from './rejection.ts';
import { type OneResource, resourceRoutes } from './resource-routes.tsx';

/** The cleanups of a website, and the page that deletes hidden hits once the name of their cleanup has been typed. */
export function cleanupRoutes(scope: FastifyInstance, deps: CleanupPagesDependencies): void {
  const { open, find } = resourceRoutes(scope, deps, CLEANUPS);
  const path = resourcePath(websitePath(':id', 'cleanups'), ':resource', 'erase');

  scope.get<OneResource>(path, async (request, reply) => {
    const { found } = await open(request, reply);
    return sendErasure(reply, found, await find(found, request));
  });

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<OneResource & Body>(path, async (request, reply) => {
      const { found } = await open(request, reply);
      const cleanup = await find(found, request);
      if (valueIn(request.body, 'name')?.trim() !== cleanup.name) {
        return sendErasure(reply.code(422), found, cleanup, found.locale.words.resources.cleanup.wrongName);
      }
      try {
        await eraseCleanup({ ...deps, author: authorOf(request) }, found.owner, cleanup.id);
        return reply.redirect(found.list, 303);
      } catch (error) {
        const rejection = rejectionOf(error, 'cleanup', found.locale);
        if (rejection === undefined) throw error;
        return sendErasure(reply.code(rejection.status), found, cleanup, rejection.reason);
      }
    });
  });
}

function sendErasure(reply: FastifyReply, found: OpenedWebsite, cleanup: Cleanup, fault?: string) {
  const { cleanup: texts, keep } = found.locale.words.resources;
  const faults = fault === undefined ? [] : [{ field: 'name', code: 'not_allowed' as const, detail: fault }];
  return sendPage(
    reply,
    <found.Frame title={texts.erase} heading={texts.erase}>
      <form class="settings" method="post" action={resourcePath(found.list, cleanup.id, 'erase')}>
        <p>{texts.eraseConsequence}</p>
        <TextField
          name="name"
          label={texts.typeName(cleanup.name)}
          faults={faults}
          dir="auto"
          required
          autocomplete="off"
        />
        <fieldset class="buttons" disabled={!found.canWrite}>
          <button class="danger" type="submit">
            {texts.erase}
          </button>
          <a href={found.list}>{keep}</a>
        </fieldset>
      </form>
    </found.Frame>,
  );
}
