import { createInMemoryRepositories } from '@hitherto/memory';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// cleanups.md, "Page rules".

const USERS = { 'page.like': '/user/*', becomes: '/user/:id' };

let api: Api;
let website: string;
beforeEach(async () => {
  const repositories = createInMemoryRepositories();
  api = await startApi({ repositories });
  const websiteId = (await api.createWebsite()).id;
  website = `/api/v1/websites/${websiteId}`;
  const time = new Date('2026-11-20T10:00:00.000Z');
  await repositories.hits.add(
    ['/user/1', '/user/2', '/a?filter=1'].map((page, index) =>
      aCountedHit({ websiteId, page, visitor: BigInt(index), day: '2026-11-20', time }),
    ),
  );
});

const replace = (rules: unknown, headers = {}) =>
  api.send('PUT', `${website}/page-rules`, { json: { rules }, headers });

describe('page rules', () => {
  test('show pages of the past, and are shown in order', async () => {
    const response = await replace([USERS, { exclude_params: 'filter\nsort*' }]);

    const rules = [USERS, { exclude_params: 'filter\nsort*' }];
    expect([response.status, response.json()]).toEqual([
      200,
      { data: { rules }, meta: { unmatched_goals: [], unmatched_funnels: [] } },
    ]);
    const shown = await api.send('GET', `${website}/page-rules`);
    expect(shown.json()).toEqual({ data: { rules } });
    expect(shown.header('etag')).toBe(response.header('etag'));
    expect((await api.send('GET', website)).json()).toMatchObject({
      data: { page_rules: '/user/* => /user/:id\n?filter&sort*' },
    });
    const list = await api.send('GET', `${website}/statistics/by/page?from=2026-11-20&to=2026-11-20`);
    expect(list.json()).toMatchObject({
      data: [
        { value: '/user/:id', visitors: 2 },
        { value: '/a', visitors: 1 },
      ],
    });
  });

  test('name the goals and funnels that they leave without pages', async () => {
    const goal = await api.send('POST', `${website}/goals`, { json: { name: 'Ada', page: '/user/1' } });
    await api.send('POST', `${website}/goals`, { json: { name: 'All', page: '/user/*' } });
    await api.send('POST', `${website}/goals`, { json: { name: 'None', page: '/none' } });
    const steps = [
      { name: 'Ada', page: '/user/1' },
      { name: 'Signed up', event: 'Signup' },
    ];
    const funnel = await api.send('POST', `${website}/funnels`, { json: { name: 'Signup', steps } });

    const { meta } = (await replace([USERS])).json<{ meta: object }>();

    const idOf = (response: typeof goal) => response.json<{ data: { id: string } }>().data.id;
    expect(meta).toEqual({
      unmatched_goals: [{ id: idOf(goal), name: 'Ada' }],
      unmatched_funnels: [{ id: idOf(funnel), name: 'Signup' }],
    });
  });

  test('depend on the version of the website, and are in the audit trail', async () => {
    const outdated = await replace([USERS], { 'if-match': '"x"' });
    await replace([USERS]);

    expect(outdated.status).toBe(412);
    const trail = await api.send('GET', '/api/v1/audit');
    expect(trail.json<{ data: object[] }>().data[0]).toMatchObject({
      action: 'website.updated',
      changes: [{ field: 'page_rules', added: ['/user/* => /user/:id'] }],
    });
  });

  test.each([
    ['rules', undefined, 'required'],
    ['rules', Array.from({ length: 21 }, (_, index) => ({ exclude_params: `p${index}` })), 'too_many'],
    ['rules.1', [USERS, { 'page.like': '/a/*', becomes: '/a' }], 'not_allowed'],
    ['rules.0', [{ ...USERS, exclude_params: 'a' }], 'not_allowed'],
    ['rules.0', [{}], 'not_allowed'],
    ['rules.0', [{ exclude_params: 'a=b' }], 'invalid_name'],
    ['rules.0', [7], 'invalid_type'],
  ])('rejects %s of %j', async (field, rules, code) => {
    const response = await replace(rules);

    expect([response.status, response.json()]).toMatchObject([422, { errors: [{ field, code }] }]);
  });

  test('are tried on the past before', async () => {
    const preview = (json: object) => api.send('POST', `${website}/settings/preview`, { json });
    await replace([{ exclude_params: 'filter' }]);

    const tried = await preview({ page_rules: '/user/* => /user/:id' });

    expect(tried.json()).toMatchObject({
      data: { pages: { before: 3, after: 2 }, merged: [{ into: '/user/:id', count: 2, pageviews: 2 }] },
    });
    const both = await preview({ page_rules: '', exclude_params: '' });
    expect([both.status, both.json()]).toMatchObject([422, { errors: [{ field: 'page_rules', code: 'not_allowed' }] }]);
  });
});
