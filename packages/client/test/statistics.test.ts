import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createClient, listAll } from '../src/index.ts';

describe('the client, with the statistics of the real program', () => {
  const api = createClient(inject('program'));
  let id: string;
  const batch = () => ({
    body: {
      hits: [
        ...Array.from({ length: 15 }, (_, n) => ({ website: id, url: `https://shop.example/${n}`, visitor: `v${n}` })),
        { website: id, url: 'https://shop.example/0', visitor: 'v0', name: 'Signup', props: { plan: 'pro' } },
        { website: id, url: 'https://other.example/', visitor: 'v0' },
      ],
    },
    params: { header: { 'idempotency-key': 'one' } },
  });
  beforeAll(async () => {
    const { data } = await api.POST('/api/v1/websites', { body: { url: 'https://shop.example' } });
    id = data.data.id;
    await api.POST('/api/v1/hits', batch());
  });

  test('sends the hits of a server, once for an idempotency key', async () => {
    const { data, response } = await api.POST('/api/v1/hits', batch());

    expect(data.data).toEqual({ counted: 16, dropped: [{ index: 16, reason: 'foreign_host' }] });
    expect(response.headers.get('idempotent-replayed')).toBe('true');
    const { data: numbers } = await api.GET('/api/v1/websites/{id}/statistics', { params: { path: { id } } });
    expect(numbers.data).toMatchObject({ visitors: 15, visits: 15, pageviews: 15, events: 1 });
  });

  test('reads numbers by several values, operators, properties and goals', async () => {
    const at = { params: { path: { id } } };
    const { data: goal } = await api.POST('/api/v1/websites/{id}/goals', {
      ...at,
      body: { name: 'a', event: 'Signup' },
    });
    const visitsOf = async (query: NonNullable<Parameters<typeof show>[0]>) => (await show(query)).data.data.visits;
    const show = (query: { page?: string[]; goal?: string; filters?: Record<string, string[]> }) =>
      api.GET('/api/v1/websites/{id}/statistics', { params: { path: { id }, query } });

    expect(await visitsOf({ page: ['/1', '/2'] })).toBe(2);
    expect(await visitsOf({ filters: { 'page.not': ['/1', '/2'], 'props[plan].like': ['p*'] } })).toBe(1);
    expect(await visitsOf({ goal: goal.data.id })).toBe(1);
  });

  test('reads who crawls', async () => {
    const at = { params: { path: { id } } };

    const { data: totals } = await api.GET('/api/v1/websites/{id}/statistics/crawlers', at);
    const { data: pages } = await api.GET('/api/v1/websites/{id}/statistics/crawlers/by/{dimension}', {
      params: { path: { id, dimension: 'page' } },
    });

    expect([totals.data, pages.data]).toEqual([{ hits: 0, share_4xx: null }, []]);
  });

  test('reads filtered numbers', async () => {
    const query = { event: 'Signup' };

    const { data } = await api.GET('/api/v1/websites/{id}/statistics', { params: { path: { id }, query } });

    expect(data.data).toMatchObject({ visits: 1, pageviews: 1, events: 1 });
  });

  test('lists all values of a dimension, page by page', async () => {
    const path = { id, dimension: 'page' } as const;

    const pages: (string | null)[] = [];
    const values = listAll((page) =>
      api.GET('/api/v1/websites/{id}/statistics/by/{dimension}', {
        params: { path, query: { per_page: 10, ...page } },
      }),
    );
    for await (const { value } of values) pages.push(value);

    expect(pages.sort()).toEqual(Array.from({ length: 15 }, (_, n) => `/${n}`).sort());
  });

  test('reads CSV as text', async () => {
    const { data } = await api.GET('/api/v1/websites/{id}/statistics/by/{dimension}', {
      params: { path: { id, dimension: 'event' } },
      headers: { accept: 'text/csv' },
      parseAs: 'text',
    });

    expect(data).toBe('value,visitors,visits,events\r\nSignup,1,1,1\r\n');
  });

  test('reports which hit of a batch is invalid', async () => {
    const sent = api.POST('/api/v1/hits', {
      body: { hits: [{ website: randomUUID(), url: 'https://shop.example/', visitor: 'v' }] },
    });

    await expect(sent).rejects.toMatchObject({
      code: 'validation',
      problem: { errors: [{ field: 'hits.0.website', code: 'unknown_website' }] },
    });
  });
});
