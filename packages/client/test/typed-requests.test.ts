import { expect, test } from 'vitest';
import { createClient } from '../src/index.ts';

// The type checker runs this file too: each comment below is an error if the types accept what the API rejects.

function startClient() {
  const sent: unknown[] = [];
  const api = createClient({
    baseUrl: 'https://stats.example',
    key: 'hto_key',
    fetch: async (request) => {
      sent.push(request.body === null ? request.url : await request.json());
      return Response.json({});
    },
  });
  return { api, sent };
}

test('text for an integer of a body does not compile', async () => {
  const { api, sent } = startClient();

  // @ts-expect-error 2 is a number in JSON.
  await api.POST('/api/v1/websites', { body: { url: 'https://a.example', privacy: '2' } });

  expect(sent).toEqual([{ url: 'https://a.example', privacy: '2' }]);
});

test('text for an integer of a query does not compile', async () => {
  const { api, sent } = startClient();

  // @ts-expect-error 10 is a number.
  await api.GET('/api/v1/websites', { params: { query: { per_page: '10' } } });

  expect(sent).toEqual(['https://stats.example/api/v1/websites?per_page=10']);
});
