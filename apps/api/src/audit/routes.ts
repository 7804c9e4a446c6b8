import type { TimeZone } from '@hitherto/domain/calendar';
import { type AuditTrail, listChanges, MAX_AUDIT_BYTES } from '@hitherto/domain/records';
import type { WebsiteRepository } from '@hitherto/domain/websites';
import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { writeEntry } from '@hitherto/wire';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { viewerOf } from '../requests/authentication.ts';
import { shapeFaults } from '../requests/input.ts';
import { linksOf } from '../requests/paging.ts';
import type { EnterList } from '../requests/unsent-lists.ts';
import { encodeChangeCursor, readAuditQuery } from './read-query.ts';
import { AuditQuery, ChangeList } from './schemas.ts';

export interface AuditDependencies {
  readonly audit: AuditTrail;
  readonly websites: WebsiteRepository;
  /** The installation's. */
  readonly zone: TimeZone;
}

const PATH = '/api/v1/audit';

/** About the most bytes of an entry in a response, without its changes. */
const MAX_ENTRY_BYTES = 4_096;

const documented = {
  operationId: 'listChanges',
  summary: 'List changes of settings',
  description:
    'Changes and their authors, newest first: websites, segments, goals, funnels, links, recipients, annotations, cleanups, alerts, imports, webhooks, the account and its keys. Follow `links.next` until it is null; a page with long changes has fewer than `per_page`.',
  tags: ['audit'],
  querystring: AuditQuery,
  response: {
    200: accountResponse('A page of changes.', ChangeList, {
      link: { type: 'string', description: 'The same links (RFC 8288).' },
    }),
    ...accountProblemResponses(400, 401, 403, 408, 422, 429, 431, 500, 503),
  },
};

/** The audit trail (api.md, "Changes"), in the authenticated scope. */
export function auditRoutes(app: FastifyInstance, deps: AuditDependencies, enterList: EnterList): void {
  app.get<{ Querystring: Static<typeof AuditQuery> }>(
    PATH,
    { schema: documented, config: { mergesFaults: true } },
    async (request, reply) => {
      const viewer = viewerOf(request);
      const { filter, limit, after } = await readAuditQuery(deps, viewer, request.query, shapeFaults(request));
      await enterList(request, reply, MAX_AUDIT_BYTES + limit * MAX_ENTRY_BYTES);
      const { entries, next } = await listChanges(deps, viewer, filter, limit, after);
      const { cursor: _, ...kept } = request.query;
      const { links, header } = linksOf(PATH, kept, { next, previous: undefined }, (position) =>
        encodeChangeCursor(viewer.accountId, request.query, position),
      );
      if (header !== undefined) reply.header('link', header);
      return { data: entries.map(writeEntry), links, meta: { per_page: limit } };
    },
  );
}
