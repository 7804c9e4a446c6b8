import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { createClient, listAll } from '../src/index.ts';

describe('the client, with the real program', () => {
  const program = inject('program');
  const api = createClient(program);

  const create = (url: string) => api.POST('/api/v1/websites', { body: { url } });

  test('creates a website once for an idempotency key', async () => {
    const request = {
      body: { url: 'https://once.example', privacy: 0 },
      params: { header: { 'idempotency-key': randomUUID() } },
    } as const;

    const first = await api.POST('/api/v1/websites', request);
    const second = await api.POST('/api/v1/websites', request);

    expect(first.data.data).toMatchObject({ url: 'https://once.example', privacy: 0 });
    expect(second.data).toEqual(first.data);
    expect(second.response.headers.get('idempotent-replayed')).toBe('true');
  });

  test('lists all websites, page by page', async () => {
    const urls = Array.from({ length: 25 }, (_, n) => `https://list-${n}.example`);
    for (const url of urls) await create(url);
    let pages = 0;

    const listed: string[] = [];
    const websites = listAll((page) => {
      pages += 1;
      return api.GET('/api/v1/websites', { params: { query: { search: '//list-', per_page: 10, ...page } } });
    });
    for await (const { url } of websites) listed.push(url);

    expect(listed.sort()).toEqual(urls.sort());
    expect(pages).toBe(3);
  });

  test('lists nothing without matches', async () => {
    const listed: string[] = [];

    const websites = listAll((page) => api.GET('/api/v1/websites', { params: { query: { search: 'none', ...page } } }));
    for await (const { url } of websites) listed.push(url);

    expect(listed).toEqual([]);
  });

  test('updates a website that nobody has changed since', async () => {
    const { data, response } = await create('https://update.example');
    const path = { id: data.data.id };
    const header = { 'if-match': response.headers.get('etag') ?? '' };

    const updated = await api.PATCH('/api/v1/websites/{id}', { params: { path, header }, body: { exclude_bots: 0 } });
    const late = api.PATCH('/api/v1/websites/{id}', { params: { path, header }, body: { exclude_bots: 1 } });

    expect(updated.data.data.exclude_bots).toBe(0);
    await expect(late).rejects.toMatchObject({ status: 412, code: 'precondition_failed' });
  });

  test('deletes a website', async () => {
    const { data } = await create('https://delete.example');
    const params = { path: { id: data.data.id } };

    const { response } = await api.DELETE('/api/v1/websites/{id}', { params });

    expect(response.status).toBe(204);
    await expect(api.GET('/api/v1/websites/{id}', { params })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('reports every error of a request', async () => {
    const created = api.POST('/api/v1/websites', { body: { url: 'example.com', exclude_ips: '203.0.113.7\nx' } });

    await expect(created).rejects.toMatchObject({
      name: 'ProblemError',
      status: 422,
      code: 'validation',
      problem: { errors: [{ field: 'url' }, { field: 'exclude_ips', line: 2 }] },
    });
  });

  test('is rejected with an invalid key', async () => {
    const stranger = createClient({ ...program, key: 'hto_none' });

    await expect(stranger.GET('/api/v1/websites')).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
  });
});
