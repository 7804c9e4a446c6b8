import { settleCleanup } from '@hitherto/domain/cleanups';
import { createInMemoryRepositories } from '@hitherto/memory';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// cleanups.md: how the API previews, creates, shows, renames and undoes cleanups.

const RULE = { filters: { country: ['SG'], bounce: ['1'] }, match: 'all', from: '2026-11-01', to: null };
const BODY = { name: 'Singapore, one page', ...RULE };

let api: Api;
let repositories: ReturnType<typeof createInMemoryRepositories>;
let statistics: string;
let all: string;
beforeEach(async () => {
  repositories = createInMemoryRepositories();
  api = await startApi({ repositories });
  const websiteId = (await api.createWebsite()).id;
  all = `/api/v1/websites/${websiteId}/cleanups`;
  statistics = `/api/v1/websites/${websiteId}/statistics`;
  const hit = { websiteId, day: '2026-11-20', time: new Date('2026-11-20T10:00:00.000Z') };
  await repositories.hits.add([
    aCountedHit({ ...hit, visitor: 1n, country: 'SG' }),
    aCountedHit({ ...hit, visitor: 2n, country: 'SG' }),
    aCountedHit({ ...hit, visitor: 3n, country: 'DE' }),
  ]);
});

const settle = async () => {
  while (await settleCleanup({ ...repositories, now: api.clock.now }));
};
const show = async (path: string) => (await api.send('GET', path)).json<{ data: object; meta: object }>();
const faultsOf = async (method: string, path: string, json: object) => {
  const response = await api.send(method, path, { json });
  expect(response.status, response.text).toBe(422);
  return response.json<{ errors: { field: string; code: string }[] }>().errors.map(({ field, code }) => [field, code]);
};
const create = async (json: object = BODY) => {
  const response = await api.send('POST', all, { json });
  expect(response.status, response.text).toBe(202);
  return response.header('location') ?? '';
};

describe('a cleanup', () => {
  test('is applied soon, hides its visits, and is undone soon', async () => {
    const one = await create();
    expect(await show(one)).toMatchObject({ data: { ...BODY, status: 'applying', hidden: null } });

    await settle();

    expect(await show(one)).toMatchObject({
      data: { status: 'active', hidden: { visits: 2, hits: 2 }, undo_since: null, without_days: [], erased_at: null },
    });
    expect(await show(statistics)).toMatchObject({
      data: { visits: 1 },
      meta: { cleaned: [{ name: BODY.name, visits: 2 }] },
    });
    expect(await show(`${statistics}?hidden=only`)).toMatchObject({ data: { visits: 2 } });
    expect((await show(`${statistics}?hidden=include`)).data).toMatchObject({ visits: 3 });

    const undone = await api.send('DELETE', one);
    expect([undone.status, undone.json()]).toMatchObject([202, { data: { status: 'undoing' } }]);
    expect((await show(statistics)).data).toMatchObject({ visits: 1 });
    await settle();
    expect((await api.send('GET', one)).status).toBe(404);
    expect((await show(statistics)).data).toMatchObject({ visits: 3 });
  });

  test('is previewed with a key that only reads', async () => {
    const response = await api.send('POST', `${all}/preview`, { json: RULE, key: api.readKey });

    expect([response.status, response.json()]).toMatchObject([
      200,
      {
        data: {
          before: { visits: 3 },
          hidden: { visits: 2 },
          after: { visits: 1 },
          days: [{ day: '2026-11-20', visits: { before: 3, after: 1 } }],
          top: { country: [{ value: 'SG', visitors: 2 }] },
        },
        meta: { from: '2026-11-20', to: '2026-11-20', without_days: [], kept_since: '2026-11-20' },
      },
    ]);
    expect(await show(all)).toEqual({ data: [] });
  });

  test('has filters that stay what they are, and days', async () => {
    expect(await faultsOf('POST', all, { name: 'a' })).toEqual([['filters', 'required']]);
    const filters = { goal: ['01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10'], segment: ['x'], bounce: ['2'] };
    expect(await faultsOf('POST', all, { ...BODY, filters })).toEqual([
      ['filters.segment', 'unknown'],
      ['filters.bounce', 'not_allowed'],
      ['filters.goal', 'not_allowed'],
    ]);
    expect(await faultsOf('POST', `${all}/preview`, { ...RULE, from: '2026-11-02', to: '2026-11-01' })).toEqual([
      ['to', 'not_allowed'],
    ]);
  });

  test('can change its name alone', async () => {
    const one = await create();

    expect((await api.send('PATCH', one, { json: { name: 'é' } })).json()).toMatchObject({ data: { name: 'é' } });
    expect(await faultsOf('PATCH', one, { match: 'any', to: null })).toEqual([
      ['match', 'not_allowed'],
      ['to', 'not_allowed'],
    ]);
  });

  test('is in the trail of changes, and webhooks are told', async () => {
    const events = ['cleanup.created', 'cleanup.erased', 'cleanup.deleted'];
    const hook = await api.send('POST', '/api/v1/webhooks', { json: { url: 'https://hooks.example/', events } });
    const one = await create();
    await settle();
    await api.send('POST', `${one}/erase`);
    await settle();
    await api.send('DELETE', one);

    const { data } = (await api.send('GET', '/api/v1/audit')).json<{ data: { action: string }[] }>();
    expect(data.map(({ action }) => action).slice(0, 3)).toEqual([...events].reverse());
    const { id } = hook.json<{ data: { id: string } }>().data;
    const told = (await api.send('GET', `/api/v1/webhooks/${id}/deliveries`)).json<{ data: { type: string }[] }>();
    expect(told.data.map(({ type }) => type)).toEqual([...events].reverse());
  });

  test('must say that it hides every visit', async () => {
    const everything = { name: 'All', filters: { device: ['desktop'] } };
    expect(await faultsOf('POST', all, everything)).toEqual([['hides_all', 'required']]);

    const { name: _, ...rule } = everything;
    const preview = await api.send('POST', `${all}/preview`, { json: { ...rule, hides_all: true } });
    expect([preview.status, preview.json()]).toMatchObject([200, { data: { after: { visits: 0 } } }]);
    await create({ ...everything, hides_all: true });
    await settle();

    expect((await show(statistics)).data).toMatchObject({ visits: 0 });
  });

  test('can be erased once it is active: the numbers stay, and undoing brings nothing back', async () => {
    const one = await create();
    const busy = await api.send('POST', `${one}/erase`);
    expect([busy.status, busy.json()]).toMatchObject([409, { code: 'cleanup_busy' }]);
    await settle();

    const erasing = await api.send('POST', `${one}/erase`);
    expect([erasing.status, erasing.json()]).toMatchObject([202, { data: { status: 'erasing' } }]);
    expect((await api.send('DELETE', one)).status).toBe(409);
    await settle();

    expect(await show(one)).toMatchObject({ data: { status: 'active', erased_at: expect.any(String) } });
    expect((await show(`${statistics}?hidden=include`)).data).toMatchObject({ visits: 1 });
    await api.send('DELETE', one);
    await settle();
    expect((await show(statistics)).data).toMatchObject({ visits: 1 });
  });

  test('is named by all reads of its visits', async () => {
    await create();
    await settle();
    const funnels = statistics.replace('statistics', 'funnels');
    const steps = [{ name: 'All', page: '*' }];
    const funnel = await api.send('POST', funnels, { json: { name: 'Pages', steps: [...steps, ...steps] } });
    expect(funnel.status, funnel.text).toBe(201);

    const paths = [
      '',
      '/series',
      '/by/country',
      '/goals',
      `/funnels/${funnel.json<{ data: { id: string } }>().data.id}`,
    ];
    for (const path of paths) {
      expect((await show(`${statistics}${path}`)).meta, path).toMatchObject({
        cleaned: [{ name: BODY.name, visits: 2 }],
      });
    }
  });

  test('is named where a hit is explained that it would hide', async () => {
    await create({ ...BODY, filters: { page: ['/spam'] }, from: null });
    await settle();
    const explain = async (page: string) => {
      const path = statistics.replace('statistics', 'explain');
      const { url } = (await api.send('GET', statistics.replace('/statistics', ''))).website();
      const json = { url: new URL(page, url).href, ip: '203.0.113.7', user_agent: 'Mozilla/5.0 Firefox/143.0' };
      return (await api.send('POST', path, { json })).json<{
        data: { hidden_by: unknown };
      }>();
    };

    expect((await explain('/spam')).data.hidden_by).toMatchObject({ name: BODY.name });
    expect((await explain('/')).data.hidden_by).toBeNull();
  });
});
