import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// api.md, "Errors".

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const WEBSITES = '/api/v1/websites';

test.each([
  ['/api/v1/website', '/api/v1/websites'],
  ['/api/v1/websites/', '/api/v1/websites'],
  ['/websites', '/api/v1/websites'],
])('%s is 404, and the response names %s and the documentation', async (path, near) => {
  const response = await api.send('GET', path, { key: null });

  expect(response.problem()).toMatchObject({
    code: 'not_found',
    detail: expect.stringContaining(`Did you mean ${near}?`),
  });
  expect(response.problem().detail).toContain('/docs');
  expect(response.header('link')).toBe('</docs>; rel="service-doc"');
});

test.each(['/nowhere', '/%', '/wp-login.php'])('%s resembles no path: the response only links /docs', async (path) => {
  const response = await api.send('GET', path, { key: null });

  expect([response.status, response.header('link')]).toEqual([404, '</docs>; rel="service-doc"']);
  expect(response.problem().detail).toBe('There is nothing at this path. /docs lists all paths.');
});

describe('A path in another spelling (a trailing slash, other letter case, unnecessary escapes) is 404', () => {
  test.each([
    `${WEBSITES}/`,
    '/API/v1/websites',
    '/api/v1/Websites',
    '/api/V1/websites',
    '//api/v1/websites',
    '/api//v1/websites',
    '/api/v1/websites;x=1',
    '/api/v1/website%73',
    '/api/v1%2Fwebsites',
    '/livez/',
    '/LIVEZ',
    '/live%7A',
    '/openapi.json/',
    '/problems/Internal',
    '/problems/',
  ])('GET %s', async (path) => {
    expect((await api.send('GET', path)).status).toBe(404);
  });

  test('the path of a website, and its delete path', async () => {
    const { id } = await api.createWebsite();
    const statuses = [];
    for (const path of [
      `${WEBSITES}/${id}/`,
      `${WEBSITES}//${id}`,
      `/websites/${id}/destroy/`,
      `/websites/${id}/Destroy`,
      `/websites//destroy`,
      `/Websites/${id}/destroy`,
      `/websites/${id}/destro%79`,
      `/websites/${id}%2Fdestroy`,
      `/websites/${id.replace('-', '%2D')}/destroy`,
      `${WEBSITES}/${id.replace('-', '%2d')}`,
      `${WEBSITES}/%30${id.slice(1)}`,
    ]) {
      statuses.push((await api.send('DELETE', path)).status);
    }

    expect(statuses).toEqual(statuses.map(() => 404));
    expect((await api.send('GET', `${WEBSITES}/${id}`)).status).toBe(200);
  });
});
