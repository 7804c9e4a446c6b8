import { expect, test } from 'vitest';
import { nearestPattern } from '../src/server/near-path.ts';

const ROUTES = [
  '/',
  '/docs',
  '/docs/static/index.css',
  '/s/:id',
  '/livez',
  '/api/v1/websites',
  '/api/v1/websites/:id',
  '/websites/:id/destroy',
];

test.each([
  ['/api/v1/website', '/api/v1/websites'],
  ['/api/v1/webistes', '/api/v1/websites'],
  ['/api/v1/websites/', '/api/v1/websites'],
  ['//api/v1/websites', '/api/v1/websites'],
  ['/api/v1//websites//', '/api/v1/websites'],
  ['/API/V1/Websites', '/api/v1/websites'],
  ['/api/v2/websites', '/api/v1/websites'],
  ['/websites', '/api/v1/websites'],
  ['/v1/websites', '/api/v1/websites'],
  ['/api/v1/website/7', '/api/v1/websites/{id}'],
  ['/websites/7/destory', '/websites/{id}/destroy'],
  ['/livz', '/livez'],
])('%s resembles %s', (path, pattern) => {
  expect(nearestPattern(path, ROUTES)).toBe(pattern);
});

test.each(['/', '//', '', '/a', '/a/7', '/favicon.ico', '/nothing/of/the/kind', `/${'a'.repeat(16_000)}`, '/docs/x'])(
  '%s resembles no path',
  (path) => {
    expect(nearestPattern(path, ROUTES)).toBeUndefined();
  },
);
