import { expect, test } from 'vitest';
import { loadSettings } from '../src/installation/settings.ts';
import { serveFaces } from './support/faces.ts';
import { routesOf } from './support/routes.ts';

test('no path of one’s own can lie below a path that is served, except /assets', async () => {
  const { app } = await serveFaces(() => new Date());
  await app.ready();

  const served = [...new Set(routesOf(app).map(({ path }) => path.split('/')[1]))].filter((first) => first !== '');

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
