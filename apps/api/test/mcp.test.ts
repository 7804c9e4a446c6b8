import { aCountedHit } from '@hitherto/domain/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

let api: Api;
let base: string;
let id: string;
beforeAll(async () => {
  api = await startApi();
  base = await api.app.listen({ port: 0, host: '127.0.0.1' });
  ({ id } = await api.createWebsite({ url: 'https://ex.com', privacy: 2, password: 'a secret' }));
  const now = api.clock.now();
  const day = now.toISOString().slice(0, 10);
  await api.hits.add([
    aCountedHit({ websiteId: id, day, time: now, page: '/é', name: null, props: null, country: 'DE' }),
  ]);
});
afterAll(() => api.app.close());

async function connect(key = api.readKey): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [first] = Array.isArray(content) ? content : [];
  return { isError, text: String(first?.text) };
}

describe('the client of the SDK', () => {
  test('lists the tools, all of which only read', async () => {
    const client = await connect();

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual(['list_websites', 'query_statistics', 'explain_hit', 'dropped_hits']);
    for (const { annotations, inputSchema } of tools) {
      expect([annotations?.readOnlyHint, inputSchema.additionalProperties]).toEqual([true, false]);
    }
  });

  test('calls each tool, with the numbers of the API', async () => {
    const client = await connect();
    const own = await api.send('GET', `/api/v1/websites/${id}/statistics/by/page?country=DE`);

    const websites = await call(client, 'list_websites');
    const totals = await call(client, 'query_statistics', { website: id, compare: 'previous' });
    const pages = await call(client, 'query_statistics', {
      website: id,
      dimension: 'page',
      filters: { country: ['DE'] },
    });
    const none = await call(client, 'query_statistics', {
      website: id,
      dimension: 'page',
      filters: { 'country.not': ['DE'] },
    });
    const series = await call(client, 'query_statistics', { website: id, interval: 'week' });
    const goals = await call(client, 'query_statistics', { website: id, goals: true });
    const explained = await call(client, 'explain_hit', {
      website: id,
      url: 'https://other.example/',
      ip: '198.51.100.7',
    });
    const dropped = await call(client, 'dropped_hits', { website: id });

    expect(JSON.parse(websites.text).data).toMatchObject([{ id, url: 'https://ex.com', has_password: true }]);
    expect(websites.text).not.toContain('secret');
    expect(JSON.parse(totals.text)).toMatchObject({
      data: { visitors: 1, pageviews: 1 },
      comparison: { data: { visitors: 0 } },
    });
    expect(JSON.parse(pages.text).data).toEqual(JSON.parse(own.text).data);
    expect(JSON.parse(none.text).data).toEqual([]);
    expect(JSON.parse(series.text).meta.interval).toBe('week');
    expect(JSON.parse(goals.text).data).toEqual([]);
    expect(JSON.parse(explained.text).data).toMatchObject({ counted: false, reason: 'foreign_host' });
    expect(JSON.parse(dropped.text).data).toEqual([]);
  });

  test.each([
    ['query_statistics', {}],
    ['explain_hit', { url: 'https://ex.com/', ip: '::1' }],
    ['dropped_hits', {}],
  ])('finds no website whose id is half a surrogate pair: %s', async (tool, args) => {
    const client = await connect();

    const { isError, text } = await call(client, tool, { website: '\ud800', ...args });

    expect([isError, JSON.parse(text).code]).toEqual([true, 'not_found']);
  });

  test('rejects a dimension that is half a surrogate pair', async () => {
    const client = await connect();

    const { isError, text } = await call(client, 'query_statistics', { website: id, dimension: '\ud800' });

    expect([isError, JSON.parse(text).status]).toEqual([true, 404]);
  });

  test('reads the settings of websites as resources, without secrets', async () => {
    const client = await connect();

    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: `hitherto://websites/${id}` });

    expect(resources).toMatchObject([{ uri: `hitherto://websites/${id}`, name: 'https://ex.com' }]);
    const [content] = contents;
    const settings = JSON.parse(String(content && 'text' in content ? content.text : ''));
    expect(settings).toMatchObject({ id, exclude_bots: 1, has_password: true });
    expect(JSON.stringify(settings)).not.toMatch(/secret|argon2/);
  });

  test('reads more websites than fit into one page as resources', async () => {
    for (let n = 1; n <= 101; n += 1) {
      await api.send('POST', '/api/v1/websites', { json: { url: `https://${n}.example` }, key: api.otherKey });
    }
    const client = await connect(api.otherKey);

    const first = await client.listResources();
    const second = await client.listResources({ cursor: String(first.nextCursor) });

    expect([first.resources.length, second.resources.length, second.nextCursor]).toEqual([100, 1, undefined]);
    await expect(client.listResources({ cursor: 'x' })).rejects.toThrow();
  });

  test.each<[string, string, Record<string, unknown>, string]>([
    ['an unknown website', 'query_statistics', { website: 'x' }, 'not_found'],
    ['no website', 'query_statistics', {}, '"website" is required'],
    ['an unknown filter', 'query_statistics', { website: 'ID', filters: { foo: ['x'] } }, 'filters.foo'.slice(8)],
    ['two questions at once', 'query_statistics', { website: 'ID', interval: 'day', dimension: 'page' }, 'one of'],
    ['an unknown argument', 'dropped_hits', { website: 'ID', foo: 1 }, 'The arguments are'],
    ['a path in the place of an id', 'dropped_hits', { website: '../x' }, 'not_found'],
    ['an unknown dimension', 'query_statistics', { website: 'ID', dimension: '../current' }, 'not_found'],
  ])('is told what is wrong with %s', async (_, name, args, expected) => {
    const client = await connect();

    const { isError, text } = await call(client, name, { ...args, ...(args.website === 'ID' ? { website: id } : {}) });

    expect([isError, text]).toEqual([true, expect.stringContaining(expected)]);
  });

  test('sees nothing of other accounts', async () => {
    const client = await connect(api.otherKey);

    const { text } = await call(client, 'list_websites');
    const foreign = await call(client, 'query_statistics', { website: id });

    expect([JSON.parse(text).data.some((website: { id: string }) => website.id === id), foreign.isError]).toEqual([
      false,
      true,
    ]);
    await expect(client.readResource({ uri: `hitherto://websites/${id}` })).rejects.toThrow();
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('no such resource');
    await expect(client.callTool({ name: 'constructor' })).rejects.toThrow('no such tool');
  });
});

describe('POST /mcp', () => {
  test('needs a key', async () => {
    const { status } = await api.send('POST', '/mcp', { json: {}, key: null });

    expect(status).toBe(401);
  });

  test('has no other method, because nothing is kept between requests', async () => {
    const { status, header } = await api.send('GET', '/mcp');

    expect([status, header('allow')]).toEqual([405, 'OPTIONS, POST']);
  });
});
