import { createInMemoryRepositories } from '@hitherto/memory';
import { aWebsite } from '@hitherto/testing/fixtures';
import { ODD_JSON } from '@hitherto/testing/odd-values';
import { describe, expect, test } from 'vitest';
import { ID, serveCollector, URL_OF_PAGE } from '../support/collector.ts';
import { addKey } from '../support/keys.ts';

const UMAMI = 'f3a1c6a0-2b5e-4f9b-9d3f-6f0f3f4f1001';
const websites = [
  aWebsite({ url: 'https://ex.com', aliases: [UMAMI, 'goatcounter:blog', 'matomo:3', 'ex.com'], excludeBots: false }),
];
const ODD = Object.entries(ODD_JSON);

async function serve() {
  const { access } = createInMemoryRepositories();
  const own = await addKey(access);
  const collector = await serveCollector({ websites, access, accountId: own.accountId });
  const post = (url: string, payload: string) =>
    collector.ask({
      method: 'POST',
      url,
      payload,
      headers: { 'content-type': 'application/json', host: 'blog.x', authorization: `Bearer ${own.key}` },
    });
  return { ...collector, post };
}

/** The JSON of an object with one field replaced by the text of a value. */
function withField(sent: object, field: string, json: string): string {
  return JSON.stringify({ ...sent, [field]: '@' }).replace('"@"', json);
}

const UMAMI_PAYLOAD = { website: UMAMI, hostname: 'ex.com', url: '/a' };
const GOOD_UMAMI = { type: 'event', payload: UMAMI_PAYLOAD };
const UMAMI_FIELDS = 'website hostname url referrer title language screen name data tag id timestamp ip userAgent';
const umamiHits = (json: string) => [
  withField(GOOD_UMAMI, 'type', json),
  withField(GOOD_UMAMI, 'payload', json),
  json,
  ...UMAMI_FIELDS.split(' ').map((field) => `{"type":"event","payload":${withField(UMAMI_PAYLOAD, field, json)}}`),
  `{"type":"event","payload":${withField({ ...UMAMI_PAYLOAD, name: 'n' }, 'data', `{"a":${json}}`)}}`,
];
const GOOD_COUNT = { path: '/a', session: 'x' };
const COUNT_FIELDS = 'path event ref query bot user_agent language ip created_at session'.split(' ');
const EVENT = { n: 'Buy', u: URL_OF_PAGE, d: 'ex.com' };
const EVENT_FIELDS = 'n name u url d domain r p m props $ revenue automated'.split(' ');

describe.each(ODD)('%s in any field', (_, json) => {
  test('of a hit of Umami never is a 5xx, and in a batch all other hits count', async () => {
    const { post, hits } = await serve();
    const odd = umamiHits(json);

    for (const body of odd) expect((await post('/api/send', body)).status, body.slice(0, 100)).toBeLessThan(500);
    const before = hits.stored.length;
    const good = JSON.stringify(GOOD_UMAMI);
    const { status, text } = await post('/api/batch', `[${[good, ...odd, good].join(',')}]`);

    expect(status, text).toBe(200);
    const { errors, details } = JSON.parse(text);
    expect(details.map(({ index }: { index: number }) => index)).not.toContain(0);
    expect(details.map(({ index }: { index: number }) => index)).not.toContain(odd.length + 1);
    expect(hits.stored.length - before).toBe(odd.length + 2 - errors);
  });

  test('of a hit of GoatCounter never is a 5xx, and all other hits count', async () => {
    const { post, hits } = await serve();
    const odd = [json, ...COUNT_FIELDS.map((field) => withField(GOOD_COUNT, field, json))];

    const { status, text } = await post(
      '/api/v0/count',
      `{"hits":[${JSON.stringify(GOOD_COUNT)},${odd.join(',')},${JSON.stringify(GOOD_COUNT)}]}`,
    );

    expect(status, text).toBeLessThan(500);
    const faults = Object.keys(JSON.parse(text).errors ?? {});
    expect(faults).not.toEqual(expect.arrayContaining(['0']));
    expect(faults).not.toEqual(expect.arrayContaining([String(odd.length + 1)]));
    expect(hits.stored).toHaveLength(odd.length + 2 - faults.length);
    for (const body of [json, withField({ hits: [GOOD_COUNT] }, 'no_sessions', json), `{"hits":${json}}`]) {
      expect((await post('/api/v0/count', body)).status, body.slice(0, 100)).toBeLessThan(500);
    }
  });

  test('of a hit of Matomo, of Plausible and of our own never is a 5xx', async () => {
    const { post, hits } = await serve();
    const good = '"?idsite=3&rec=1&url=https://ex.com/"';
    const fields = 'idsite rec url urlref e_c e_a e_n e_v search link revenue cip cdt ua'.split(' ');
    const odd = [json, ...fields.map((field) => withField({ idsite: '3', rec: '1', e_a: 'x' }, field, json))];

    const bulk = await post('/matomo.php', `{"requests":[${[good, ...odd, good].join(',')}]}`);
    const { tracked, invalid } = JSON.parse(bulk.text);
    expect([bulk.status, tracked + invalid]).toEqual([200, odd.length + 2]);
    expect(hits.stored.length).toBeGreaterThanOrEqual(2);

    for (const [path, body] of [
      ['/matomo.php', `{"requests":${json}}`],
      ['/matomo.php', `{"requests":[${good}],"token_auth":${json}}`],
      ...EVENT_FIELDS.map((field) => ['/api/event', withField(EVENT, field, json)]),
      ['/api/event', json],
      ...['website', 'url', 'referrer', 'name', 'props', 'automated', 'x'].map((field) => [
        '/hits',
        withField({ website: ID, url: URL_OF_PAGE, name: 'n' }, field, json),
      ]),
      ['/hits', withField({ website: ID, url: URL_OF_PAGE, name: 'n' }, 'props', `{"a":${json}}`)],
    ] as const) {
      expect((await post(path ?? '', body ?? '')).status, `${path} ${body?.slice(0, 100)}`).toBeLessThan(500);
    }
  });
});
