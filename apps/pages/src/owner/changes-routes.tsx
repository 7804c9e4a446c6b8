import { DomainError, toldIn } from '@hitherto/domain/base';
import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type DefinitionRepositories, GOAL, SEGMENT } from '@hitherto/domain/definitions';
import { type AuditPosition, type AuditTrail, listChanges, putBack } from '@hitherto/domain/records';
import { listResources } from '@hitherto/domain/resources';
import type { WebsiteDependencies, WebsiteKey } from '@hitherto/domain/websites';
import { websiteIn } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';
import { type Body, valueIn } from '../shared/form.ts';
import { localeFor } from '../shared/locale.tsx';
import { sendPage } from '../shared/page.tsx';
import { websitePath } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import type { KnownNames } from './changed-value.tsx';
import { ChangesList } from './changes-page.tsx';
import { type ById, frameOf, websiteOf } from './found-website.ts';
import { authorOf, requireWriteScope, viewerOf } from './session.ts';
import { WebsiteFrame } from './website-frame.tsx';

export interface ChangesRoutesDependencies extends WebsiteDependencies {
  readonly audit: AuditTrail;
  readonly definitions: DefinitionRepositories;
  /** The installation's. */
  readonly zone: TimeZone;
}

const PER_PAGE = 50;
/** Why a change is not put back, except for faults of its value. */
const REASONS: ReadonlySet<string> = new Set([
  'precondition_failed',
  'invalid_fields',
  'url_taken',
  'alias_taken',
  'not_found',
]);

/** The changes of a website, and putting them back (api.md, "Changes"); the scope has a session. */
export function changesRoutes(scope: FastifyInstance, deps: ChangesRoutesDependencies): void {
  const path = websitePath(':id', 'changes');

  const send = async (request: FastifyRequest<ById>, reply: FastifyReply, fault?: string) => {
    const website = await websiteOf(deps, request);
    const after = readPosition(queryParameters(request).get('after'));
    const { entries, next } = await listChanges(deps, viewerOf(request), { websiteId: website.id }, PER_PAGE, after);
    const frame = frameOf(request, website, 'changes');
    return sendPage(
      reply,
      <WebsiteFrame {...frame}>
        <ChangesList
          websiteId={website.id}
          entries={entries}
          names={await knownNames(deps, websiteIn(viewerOf(request), website.id), zoneOf(website, deps.zone))}
          canWrite={frame.canWrite}
          older={next && `${websitePath(website.id, 'changes')}?after=${encodeCursor([next.at.getTime(), next.id])}`}
          fault={fault}
        />
      </WebsiteFrame>,
    );
  };

  scope.get<ById>(path, (request, reply) => send(request, reply));

  scope.register(async (writing) => {
    requireWriteScope(writing);
    writing.post<ById & Body>(path, async (request, reply) => {
      const change = valueIn(request.body, 'change') ?? '';
      const field = valueIn(request.body, 'field') ?? '';
      const website = await websiteOf(deps, request);
      const changing = { ...deps, author: authorOf(request) };
      try {
        await putBack(changing, viewerOf(request), change, field);
      } catch (error) {
        if (!(error instanceof DomainError) || !REASONS.has(error.code)) throw error;
        return send(
          request,
          reply.code(error.code === 'not_found' ? 404 : 409),
          toldIn(localeFor(request).words, error),
        );
      }
      return reply.redirect(websitePath(website.id, 'changes'), 303);
    });
  });
}

/** The names that changes need. */
async function knownNames(deps: ChangesRoutesDependencies, website: WebsiteKey, zone: TimeZone): Promise<KnownNames> {
  const [goals, segments] = await Promise.all([
    listResources(deps, GOAL, website),
    listResources(deps, SEGMENT, website),
  ]);
  const names = (all: readonly { readonly id: string; readonly name: string }[]) =>
    new Map(all.map(({ id, name }) => [id, name]));
  return { goals: names(goals), segments: names(segments), zone };
}

/** The first millisecond of the year 10000. */
const TOO_LATE = 253_402_300_800_000;

/** Changes are from 1970 to 9999; PostgreSQL rejects times before 4713 BC. */
function readPosition(text: string | null): AuditPosition | undefined {
  const [time, id] = decodeCursor(text);
  return typeof time === 'number' && time >= 0 && time < TOO_LATE && typeof id === 'string'
    ? { at: new Date(time), id }
    : undefined;
}
