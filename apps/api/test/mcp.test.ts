import { bareDetails } from '@hitherto/domain/hits';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { ODD_JSON } from '@hitherto/testing/odd-values';
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
    aCountedHit({ websiteId: id, day, time: now, page: '/é', name: null, props: null, country: 'DE', view: 1 }),
  ]);
  const { visitor } = aCountedHit();
  const measure = { seconds: 12, scroll: 60 };
  await api.hits.add([{ ...bareDetails('', ''), websiteId: id, day, time: now, visitor, view: 1, measure }]);
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

    expect(tools.map(({ name }) => name)).toEqual([
      'list_websites',
      'query_statistics',
      'explain_change',
      'explain_hit',
      'list_findings',
      'dropped_hits',
    ]);
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
      sort: 'engaged_seconds',
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
      data: { visitors: 1, pageviews: 1, engaged_seconds: 12, measured: 1 },
      comparison: { data: { visitors: 0 } },
    });
    expect(JSON.parse(pages.text).data).toEqual(JSON.parse(own.text).data);
    expect(JSON.parse(pages.text).data).toMatchObject([{ value: '/é', engaged_seconds: 12, scroll_depth: 60 }]);
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

    expect([isError, text]).toEqual([true, expect.stringContaining('no website with this id or domain')]);
  });

  test('rejects a dimension that is half a surrogate pair', async () => {
    const client = await connect();

    const { isError, text } = await call(client, 'query_statistics', { website: id, dimension: '\ud800' });

    expect([isError, text]).toEqual([true, expect.stringContaining('"dimension" must be one of page')]);
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
    ['an unknown website', 'query_statistics', { website: 'x' }, 'no website with this id'],
    ['no website', 'query_statistics', {}, '"website" is required'],
    ['an unknown filter', 'query_statistics', { website: 'ID', filters: { foo: ['x'] } }, 'filters.foo'.slice(8)],
    ['two questions at once', 'query_statistics', { website: 'ID', interval: 'day', dimension: 'page' }, 'one of'],
    ['an unknown argument', 'dropped_hits', { website: 'ID', foo: 1 }, 'The arguments are'],
    ['a path in the place of an id', 'dropped_hits', { website: '../x' }, 'no website with this id'],
    ['an unknown dimension', 'query_statistics', { website: 'ID', dimension: '../current' }, 'must be one of page'],
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

describe('the arguments of a tool', () => {
  test.each([null, ''])('count as left out if they are %j', async (left) => {
    const client = await connect();
    const empty = { from: left, to: left, dimension: left, interval: left, goals: left, filters: left, match: left };

    const totals = await call(client, 'query_statistics', { website: id, ...empty, compare: left, conversion: left });
    const websites = await call(client, 'list_websites', { search: left, cursor: left });
    const explained = await call(client, 'explain_hit', {
      website: id,
      url: 'https://ex.com/',
      ip: '::1',
      user_agent: left,
      referrer: left,
    });
    const required = await call(client, 'query_statistics', { website: left });

    expect(JSON.parse(totals.text).data).toMatchObject({ visitors: 1 });
    expect([websites.isError, explained.isError]).toEqual([false, false]);
    expect([required.isError, required.text]).toEqual([true, 'The argument "website" is required.']);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ dimensions: 'page' }, 'There is no argument "dimensions". The arguments are website, from, to, '],
    [{ from: 20261120 }, 'The argument "from" must be a string.'],
    [{ from: { toString: 1 } }, 'The argument "from" must be a string.'],
    [{ goals: 'true' }, 'The argument "goals" must be a boolean.'],
    [{ filters: ['DE'] }, 'The argument "filters" must be an object.'],
    [{ filters: { country: { toString: 1 } } }, 'The filter "country" must be a list of strings.'],
    [{ filters: { country: [['DE']] } }, 'The filter "country" must be a list of strings.'],
    [{ interval: 'minute' }, 'The argument "interval" must be one of '],
    [{ website: ['a'] }, 'The argument "website" must be a string.'],
  ])('are named if they are wrong: %j', async (args, message) => {
    const client = await connect();

    const { isError, text } = await call(client, 'query_statistics', { website: id, ...args });

    expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
  });

  test.each(Object.entries(ODD_JSON))('never are told in the words of the engine: %s', async (_name, json) => {
    const tools = { query_statistics: 'from dimension filters website goals', explain_hit: 'url ip referrer' };
    for (const [tool, names] of Object.entries(tools)) {
      for (const name of names.split(' ')) {
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{"website":"${id}","url":"https://ex.com","ip":"::1","${name}":${json}}}}`;
        const headers = { 'content-type': 'application/json' };
        const { statusCode, text } = await inject(body, headers);

        expect(statusCode).toBeLessThan(500);
        expect(text).not.toMatch(/Cannot|undefined|stack|not a function/);
      }
    }
  });

  test('may name a website by its domain, its address or an alias, if just one of the account has it', async () => {
    const shop = await api.createWebsite({ url: 'https://www.names.example/shop', aliases: 'named' });
    const client = await connect();
    const read = async (website: string) => (await call(client, 'dropped_hits', { website })).isError;

    const names = ['names.example', 'www.names.example/shop', 'https://www.names.example/shop', 'named', shop.id];
    for (const name of names) expect(await read(name), name).toBe(false);
    await api.createWebsite({ url: 'https://www.names.example/blog' });

    expect([await read('names.example'), await read('other.example')]).toEqual([true, true]);
    const other = await connect(api.otherKey);
    expect((await call(other, 'dropped_hits', { website: 'named' })).isError).toBe(true);
  });
});

/** Sends a request as clients without the SDK do. */
async function inject(payload: string, headers: Record<string, string> = {}) {
  const { statusCode, body: text } = await api.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${api.readKey}`, 'content-type': 'application/json', ...headers },
    payload,
  });
  return { statusCode, text };
}

describe('POST /mcp', () => {
  test.each(['application/json', '*/*', 'text/event-stream', 'application/json, text/event-stream', undefined])(
    'responds with JSON to Accept: %s',
    async (accept) => {
      const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

      const { statusCode, text } = await inject(list, accept === undefined ? {} : { accept });

      expect([statusCode, JSON.parse(text).result.tools.length]).toEqual([200, 6]);
    },
  );

  test('needs a key', async () => {
    const { status } = await api.send('POST', '/mcp', { json: {}, key: null });

    expect(status).toBe(401);
  });

  test('has no other method, because nothing is kept between requests', async () => {
    const { status, header } = await api.send('GET', '/mcp');

    expect([status, header('allow')]).toEqual([405, 'OPTIONS, POST']);
  });
});
