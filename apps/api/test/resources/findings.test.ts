import type { Finding } from '@hitherto/domain/checks';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import type { WrittenFix } from '@hitherto/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// checks.md: findings.

const repositories = createInMemoryRepositories();
let api: Api;
beforeAll(async () => {
  api = await startApi({ repositories });
});
afterAll(() => api.app.close());

const AT = new Date('2026-11-20T00:10:00.000Z');
const STORED = { since: '2026-11-19', size: 118, status: 'open', openedAt: AT, updatedAt: AT } as const;

async function addFinding(websiteId: string, finding: Partial<Finding> = {}): Promise<string> {
  const id = newId();
  const evidence = { param: 'filter', page: '/list"><script>', pages: 118 };
  const added = { id, check: 'query_noise', subject: 'filter', evidence, ...STORED, ...finding } as Finding;
  await repositories.findings.record({ accountId: api.accountId, websiteId }, [
    { finding: added, expected: undefined, event: undefined },
  ]);
  return id;
}

const path = (id: string) => `/api/v1/websites/${id}/findings`;

describe('GET …/findings', () => {
  test('lists open findings first, each with its sentence and the request that closes it', async () => {
    const { id } = await api.createWebsite({ exclude_params: 'utm_*' });
    const finding = await addFinding(id);
    await addFinding(id, {
      check: 'spam_like',
      subject: 'SG',
      evidence: { country: 'SG', network: null, visits: 180, days: 3, share: 0.4 },
      status: 'fixed',
      openedAt: new Date(AT.getTime() + 1),
    });

    const response = await api.send('GET', path(id));

    expect(response.status).toBe(200);
    expect(response.json()).toMatchObject({
      data: [
        {
          id: finding,
          check: 'query_noise',
          since: '2026-11-19',
          evidence: { param: 'filter', page: '/list"><script>', pages: 118 },
          text: '118 pages differ from /list"><script> in the query parameter filter only.',
          fix: {
            kind: 'exclude_param',
            request: { method: 'PATCH', path: `/api/v1/websites/${id}`, body: { exclude_params: 'utm_*\nfilter' } },
            preview: {
              method: 'POST',
              path: `/api/v1/websites/${id}/settings/preview`,
              body: { exclude_params: 'utm_*\nfilter' },
            },
          },
          status: 'open',
        },
        {
          check: 'spam_like',
          fix: {
            request: {
              method: 'POST',
              path: `/api/v1/websites/${id}/cleanups`,
              body: { filters: { country: ['SG'], channel: ['Direct'], bounce: ['1'] }, from: '2026-11-19' },
            },
            preview: { path: `/api/v1/websites/${id}/cleanups/preview` },
          },
          status: 'fixed',
        },
      ],
    });
  });

  test('knows only findings of the own account', async () => {
    const { id } = await api.createWebsite();
    const finding = await addFinding(id);

    for (const at of [path(id), `${path(id)}/${finding}`]) {
      expect((await api.send('GET', at, { key: api.otherKey })).status).toBe(404);
    }
  });
});

describe('the request of a fix', () => {
  const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`;
  const HOSTILE = `/"><script>*\\…/${'🦊'.repeat(40)}`;
  const numbers = { visits: 60, share: 0.5, pages: 118, hits: 60 };
  const FIXED: readonly [Finding['check'], Readonly<Record<string, unknown>>, Finding['evidence']][] = [
    ['unknown_host', { url: 'https://old.shop.example' }, { ...numbers, host: 'new.shop.example', isAlone: false }],
    ['unknown_host', { url: 'https://alone.example' }, { ...numbers, host, isAlone: true }],
    ['spam_like', {}, { ...numbers, country: 'SG', network: null, days: 3 }],
    ['new_spammer', {}, { ...numbers, host, countries: 12 }],
    ['query_noise', { exclude_params: 'utm_*' }, { ...numbers, param: 'é<b>', page: HOSTILE }],
    ['query_noise', {}, { ...numbers, param: 'a\nb*', page: '/' }],
    ['self_referral', { url: 'https://en.blog.example' }, { ...numbers, host: 'de.blog.example' }],
    ['secret_in_page', {}, { ...numbers, secret: 'token', param: 'token', page: '/' }],
    ['secret_in_page', {}, { ...numbers, secret: 'email', param: null, page: HOSTILE }],
    ['secret_in_page', {}, { ...numbers, secret: 'email', param: null, page: `/${'a'.repeat(51)} /…` }],
  ];

  test.each(FIXED)('works as it is printed: %s of %o', async (check, fields, evidence) => {
    const { id } = await api.createWebsite(fields);
    const finding = await addFinding(id, { check, evidence } as Partial<Finding>);
    const { data } = (await api.send('GET', `${path(id)}/${finding}`)).json<{ data: { fix: WrittenFix } }>();

    const { kind, request, preview } = data.fix;
    if (request === null) return expect([kind, check]).toEqual(['none', 'query_noise']);
    if (preview !== null) {
      expect((await api.send(preview.method, preview.path, { json: preview.body })).status).toBe(200);
    }
    const sent = await api.send(request.method, request.path, { json: request.body });
    expect([sent.status, sent.text]).toEqual([request.method === 'POST' ? 202 : 200, expect.anything()]);
    expect(sent.json()).toMatchObject({ data: request.body });
  });
});

describe('POST …/dismiss', () => {
  test('dismisses a finding, again and again', async () => {
    const { id } = await api.createWebsite();
    const finding = await addFinding(id);

    for (const _ of [1, 2]) {
      const response = await api.send('POST', `${path(id)}/${finding.toUpperCase()}/dismiss`);
      expect(response.json()).toMatchObject({ data: { id: finding, status: 'dismissed' } });
    }
    expect((await api.send('POST', `${path(id)}/${newId()}/dismiss`)).status).toBe(404);
  });
});
