import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { aPath, BODIES, create, PATHS } from './definitions.ts';

// api.md, "Segments, goals and funnels". What they have in common with other resources is tested next to this folder.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

test.each(PATHS)('%s have the fields that were sent, an id and times, and no others', async (path) => {
  const { data } = await create(api, await aPath(api, path), BODIES[path]);

  expect(data).toEqual({
    id: data.id,
    ...BODIES[path],
    created_at: '2026-11-20T12:00:00.000Z',
    updated_at: '2026-11-20T12:00:00.000Z',
  });
});
