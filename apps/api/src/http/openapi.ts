import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const DESCRIPTION = `Hitherto manages the websites of a self-hosted web-statistics service. Every request to \`/api/v1\` and to
\`/websites/{id}/destroy\` carries \`Authorization: Bearer KEY\`; the operator issues keys on the command line. Errors are problem
details (RFC 9457), explained at \`/problems/{code}\`. Within v1 there are only additions: ignore members you do not know.`;

/** Serves the OpenAPI document, made from the schemas that validate, and a page to read and try it, without outside resources. */
export async function documentApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Hitherto', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }],
      tags: [
        { name: 'websites', description: 'The websites that an account tracks.' },
        { name: 'operations', description: 'Health, metrics and explanations; no key.' },
      ],
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key: `hto_…`. A key of scope "read" may list and show.',
          },
        },
      },
      security: [{ key: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `def-${index}`,
    },
  });

  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // The default asks a validator on the internet.
    uiConfig: { validatorUrl: null, persistAuthorization: false, deepLinking: true },
  });

  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
