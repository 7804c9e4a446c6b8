import swagger from '@fastify/swagger';
import { type Documentation, serveFixed } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { documentationPage } from './documentation-page.ts';
import { completeDocument } from './openapi-completion.ts';

const DESCRIPTION = `Hitherto is a self-hosted web-statistics service. This API manages its websites, takes hits and reads statistics.
Send \`Authorization: Bearer KEY\` with every request to \`/api/v1\` and to \`/websites/{id}/destroy\`; the operator creates keys on
the command line. Errors are problem details (RFC 9457), and \`/problems/{code}\` explains each. HEAD works wherever GET does,
OPTIONS lists the methods of a path, and any other method is 405 with \`Allow\`. You can try the API at \`/docs\`. v1 changes only by
additions: ignore fields that you do not know.`;

const OPENAPI = '/openapi.json';

/**
 * Serves the OpenAPI document, made from the schemas that validate and from the documentation of other faces, and a page
 * to read and try it, without external resources.
 */
export async function documentApi(
  app: FastifyInstance,
  version: string,
  documented: readonly Documentation[],
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Hitherto',
        version,
        description: DESCRIPTION,
        // The operator of an installation is unknown to the program.
        contact: { name: 'The operator of this installation' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'websites', description: 'The websites that an account tracks.' },
        { name: 'definitions', description: 'The segments, goals and funnels of a website.' },
        { name: 'statistics', description: 'The numbers of a website.' },
        {
          name: 'cleanups',
          description: 'Rules that hide visits from all numbers of a website, until they are undone.',
        },
        {
          name: 'sharing',
          description: 'The shared links and the annotations of a website, and the look of an account.',
        },
        { name: 'findings', description: 'What makes the numbers of a website wrong, found by daily checks.' },
        { name: 'imports', description: 'Files of other products, and exports, that add to the numbers of a website.' },
        { name: 'audit', description: 'Changes and their authors.' },
        { name: 'alerts', description: 'Conditions that the owner of a website wants to know of.' },
        { name: 'webhooks', description: 'Addresses to which events are sent.' },
        { name: 'hits', description: 'Hits from browsers and servers, and a check whether one would count.' },
        { name: 'operations', description: 'Health, metrics and explanations; no key.' },
      ],
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key: `hto_…`. A key with scope "read" can read everything and change nothing.',
          },
        },
      },
      security: [{ key: [] }],
    },
    transformObject: (made) =>
      'openapiObject' in made ? completeDocument(made.openapiObject, documented) : made.swaggerObject,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `def-${index}`,
    },
  });

  await app.register(async (docs) => documentationPage(docs, OPENAPI));
  const document = serveFixed({
    type: 'application/json; charset=utf-8',
    caching: 'no-cache',
    make: () => JSON.stringify(app.swagger()),
  });
  app.get(OPENAPI, { schema: { hide: true } }, document);
}
