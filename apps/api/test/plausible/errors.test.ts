import { afterAll, describe, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';

const api = await startApi();
afterAll(() => api.app.close());

describe('errors of the paths of Plausible’s APIs', () => {
  test.each<['GET' | 'POST' | 'PUT' | 'DELETE', string, number, string | undefined]>([
    ['GET', '/api/v2/query', 405, 'OPTIONS, POST'],
    ['DELETE', '/api/v1/stats/aggregate', 405, 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/v1/sites/goals', 405, 'GET, HEAD, OPTIONS'],
    ['POST', '/api/v1/sites', 405, 'GET, HEAD, OPTIONS'],
    ['GET', '/api/v1/stats/realtime/pages', 404, undefined],
    ['GET', '/api/v1/stats', 404, undefined],
    ['POST', '/api/v2/query/', 404, undefined],
    ['GET', '/api/v1/sites/%zz', 404, undefined],
    ['GET', '/api/v1/sites/a/b', 404, undefined],
  ])('have their form: %s %s is %d', async (method, path, status, allow) => {
    const response = await api.app.inject({ method, url: path, headers: { authorization: `Bearer ${api.key}` } });

    expect([response.statusCode, response.headers['content-type'], response.headers.allow]).toEqual([
      status,
      'application/json; charset=utf-8',
      allow,
    ]);
    expect(response.json()).toEqual({ error: expect.any(String) });
  });

  test.each(['/api/v1/site', '/api/v1/statsx', '/api/v2x', '/api/v1/websites/x/stats'])(
    'do not spread to %s',
    async (path) => {
      expect((await api.send('GET', path)).problem().code).toBe('not_found');
    },
  );
});
