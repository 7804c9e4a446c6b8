import type { FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { loadSettings } from '../src/settings.ts';
import { serveFaces } from './support/faces.ts';

test('no path of one’s own can lie below a path that is served, except /assets', async () => {
  const { app } = await serveFaces(() => new Date());
  await app.ready();

  const served = [...new Set(pathsOf(app).map((path) => path.split('/')[1]))].filter((first) => first !== '');

  expect(served.length).toBeGreaterThan(20);
  const free = served.filter((first) => {
    try {
      return loadSettings({ HIT_PATHS: `/${first}/own` });
    } catch {
      return false;
    }
  });
  // The names of assets end with a hash, which no other file has; the manual's own example lies there.
  expect(free).toEqual(['assets']);
});

/** The paths of all routes, from the tree that Fastify prints. */
function pathsOf(app: FastifyInstance): string[] {
  const above: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, name] = /^([\s│]*)[├└]── (\S+)/.exec(line) ?? [];
      if (indent === undefined || name === undefined) return [];
      const depth = indent.length / 4;
      const path = `${above[depth - 1] ?? ''}${name}`;
      // The root is `/`, above all others.
      above.splice(depth, above.length, path);
      return [path];
    });
}
