import type { FastifyInstance } from 'fastify';

/** A path of the service with a method that it supports; parameters begin with a colon. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** All routes, from the tree that Fastify prints. */
export function routesOf(app: FastifyInstance): Route[] {
  const above: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, name, methods = ''] = /^([\s│]*)[├└]── (\S+)(?: \((.*)\))?/.exec(line) ?? [];
      if (indent === undefined || name === undefined) return [];
      const depth = indent.length / 4;
      const path = `${above[depth - 1] ?? ''}${name}`;
      // The root is `/`, above all others.
      above.splice(depth, above.length, path);
      return methods === '' ? [] : methods.split(', ').map((method) => ({ method, path }));
    });
}
