import type { Repositories } from '@hitherto/domain/repositories';
import { findOwnWebsite } from '@hitherto/domain/websites';
import { decodeJsonBodies } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import inject from 'light-my-request';
import { viewerOf } from '../requests/authentication.ts';

const BODY_LIMIT = 65_536;
/** The response is JSON in any case, so whatever the client accepts, it gets it. */
const ACCEPTS_ALL = 'application/json, text/event-stream';

interface McpDependencies extends Pick<Repositories, 'websites' | 'directory'> {
  readonly version: string;
}

/**
 * The Model Context Protocol for assistants (docs/mcp.md), read only, in the authenticated scope. Tools ask the API's own routes
 * with the same key, so its rules, errors and allowance hold.
 */
export function mcpRoutes(app: FastifyInstance, { version, websites, directory }: McpDependencies): void {
  app.register(async (scope) => {
    decodeJsonBodies(scope, ['application/json'], BODY_LIMIT);
    scope.post('/mcp', { schema: { hide: true } }, async (request, reply) => {
      // Few installations use it, and loading it takes a while.
      const { respondToMcp } = await import('./server.ts');
      const { authorization = '', 'mcp-protocol-version': protocol } = request.headers;
      const headers = new Headers({ accept: ACCEPTS_ALL, 'content-type': 'application/json' });
      if (typeof protocol === 'string') headers.set('mcp-protocol-version', protocol);
      const response = await respondToMcp(
        new Request('http://localhost/mcp', { method: 'POST', headers }),
        request.body,
        version,
        {
          find: (name) => findOwnWebsite({ websites, directory }, viewerOf(request), name),
          ask: async ({ method, path, body }) => {
            // Unlike `app.inject`, this goes on while a stopping server still serves.
            const { statusCode: status, body: text } = await inject(app.routing, {
              method,
              url: path,
              headers: { authorization },
              remoteAddress: request.ip,
              ...(body === undefined ? {} : { payload: body }),
            });
            return { status, text };
          },
        },
      );
      const type = response.headers.get('content-type');
      if (type !== null) reply.header('content-type', type);
      return reply.code(response.status).send(await response.text());
    });
  });
}
