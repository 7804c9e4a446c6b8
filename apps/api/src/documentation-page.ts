import { readFileSync } from 'node:fs';
import { type FixedContent, serveFixed } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';

/** The page loads only from its own origin. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'index.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API of Hitherto</title>
    <link rel="stylesheet" href="/docs/static/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/static/index.css" />
    <link rel="icon" type="image/png" href="/docs/static/favicon-32x32.png" sizes="32x32" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/static/swagger-ui-bundle.js"></script>
    <script src="/docs/static/swagger-initializer.js"></script>
  </body>
</html>
`;

/** Serves the page to read and try the API at `/docs`. The plugin's own routes would make and send the document again each time. */
export function documentationPage(docs: FastifyInstance, documentPath: string): void {
  docs.addHook('onRequest', (_request, reply, done) => {
    reply.header('content-security-policy', POLICY);
    done();
  });
  const serve = (path: string, content: Omit<FixedContent, 'caching'>) =>
    docs.get(path, { schema: { hide: true } }, serveFixed({ ...content, caching: 'no-cache' }));
  serve('/docs', { type: 'text/html; charset=utf-8', make: () => PAGE });
  serve('/docs/static/swagger-initializer.js', {
    type: 'text/javascript; charset=utf-8',
    make: () => initializerOf(documentPath),
  });
  for (const [name, type] of Object.entries(FILES)) {
    serve(`/docs/static/${name}`, { type, make: () => readFileSync(fileOf(name)) });
  }
}

/** A file of Swagger UI. */
function fileOf(name: string): URL {
  return new URL(`../node_modules/@fastify/swagger-ui/static/${name}`, import.meta.url);
}

/**
 * Starts Swagger UI. It gets no HEAD operations, which only repeat GET: with them it never finishes drawing on slow machines. By
 * default it would call a validator on the internet.
 */
function initializerOf(url: string): string {
  const settings = {
    dom_id: '#swagger-ui',
    deepLinking: true,
    layout: 'BaseLayout',
    validatorUrl: null,
    persistAuthorization: false,
  };
  return `fetch(${JSON.stringify(url)})
  .then((response) => response.json())
  .then((spec) => {
    for (const operations of Object.values(spec.paths)) delete operations.head;
    SwaggerUIBundle({ ...${JSON.stringify(settings)}, spec, presets: [SwaggerUIBundle.presets.apis] });
  });
`;
}
