import { DIMENSIONS } from '@hitherto/domain/hits';
import { runs } from '@hitherto/testing/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startApiForTest } from '../support/api.ts';
import { anExample } from './histories.ts';

// Whatever is sent, the API responds, and every response conforms to the contract; `send` checks that.

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const settings = { numRuns: runs(50, 2_000), seed, endOnFailure: true };

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '🦊'.repeat(300),
    '__proto__',
    '%',
    '-0',
    '1e400',
    '(other)',
    '=1',
    'x'.repeat(4097),
  ),
);
const day = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('2026-11-20', '2026-11-14', '1970-01-01', '9999-12-31', '2028-02-29') },
  { weight: 1, arbitrary: hostile },
);
const filters = fc.dictionary(
  fc.oneof(
    fc.constantFrom(...DIMENSIONS, 'segment', 'goal', 'goal.not', 'props[plan]', 'props[a].not_like', 'props[]'),
    fc.constantFrom(...DIMENSIONS).map((dimension) => `${dimension}.not_contains`),
    hostile,
  ),
  fc.oneof(fc.constantFrom('', '/a', 'Signup', 'Google', 'DE'), hostile),
  { maxKeys: 3 },
);
const query = fc
  .tuple(
    filters,
    fc.record(
      {
        from: day,
        to: day,
        compare: fc.constantFrom('previous', 'year', 'x'),
        interval: fc.constantFrom('hour', 'day', 'week', 'month', ''),
        per_page: fc.constantFrom('10', '100', '9', ''),
        cursor: fc.oneof(fc.base64String(), hostile),
        property: fc.constantFrom('plan', ''),
        match: fc.constantFrom('all', 'any', ''),
        conversion: hostile,
      },
      { requiredKeys: [] },
    ),
  )
  .map((parts) => new URLSearchParams(Object.assign({}, ...parts)).toString());
const path = fc.oneof(
  fc.constantFrom('', '/series', '/current', '/dropped', '/by/property', '/goals', '/funnels/x'),
  fc.constantFrom(...DIMENSIONS, 'nonsense').map((dimension) => `/by/${dimension}`),
);

const hit = fc.oneof(
  fc.record(
    {
      url: fc.oneof(
        fc.constant('https://ex.com/a'),
        fc.webUrl({ withFragments: true, withQueryParameters: true }),
        hostile,
      ),
      referrer: fc.oneof(fc.webUrl(), hostile, fc.constant('android-app://com.example/')),
      name: fc.oneof(fc.constantFrom('Signup', null), hostile),
      props: fc.oneof(fc.dictionary(hostile, fc.oneof(hostile, fc.double(), fc.boolean())), fc.jsonValue()),
      automated: fc.oneof(fc.boolean(), fc.jsonValue()),
      ip: fc.oneof(fc.ipV4(), fc.ipV6(), hostile),
      user_agent: hostile,
      language: hostile,
      visitor: hostile,
      time: fc.oneof(fc.constant('2026-11-20T11:59:00Z'), hostile),
      extra: fc.jsonValue(),
    },
    { requiredKeys: ['url'] },
  ),
  fc.jsonValue(),
);

/** From about this length on, a query can make the headers too large. */
const LONG_QUERY = 15_000;

test(`generated queries: no 5xx, and every response conforms to the contract (FUZZ_SEED=${seed})`, async () => {
  const api = await startApiForTest({ logLevel: 'silent' });
  const id = await anExample(api);

  await fc.assert(
    fc.asyncProperty(path, query, fc.constantFrom('text/csv', '*/*'), async (read, text, accept) => {
      const response = await api.send('GET', `/api/v1/websites/${id}/statistics${read}?${text}`, {
        headers: { accept },
      });

      const expected = text.length > LONG_QUERY ? [200, 400, 404, 422, 431] : [200, 400, 404, 422];
      expect(expected, response.text).toContain(response.status);
    }),
    settings,
  );
});

test(`generated hits: no 5xx, and every response conforms to the contract (FUZZ_SEED=${seed})`, async () => {
  const api = await startApiForTest({ logLevel: 'silent' });
  const { id } = await api.createWebsite({ url: 'https://ex.com', exclude_params: 'f*', exclude_ips: '10.0.0.0/8' });
  const withWebsite = (value: unknown) =>
    typeof value === 'object' && value !== null ? { website: id, ...value } : value;

  await fc.assert(
    fc.asyncProperty(fc.array(hit, { maxLength: 4 }), async (hits) => {
      const collected = await api.send('POST', '/api/v1/hits', { json: { hits: hits.map(withWebsite) } });
      const explained = await api.send('POST', `/api/v1/websites/${id}/explain`, { json: hits[0] ?? {} });

      expect([202, 422], collected.text).toContain(collected.status);
      expect([200, 400, 422], explained.text).toContain(explained.status);
    }),
    settings,
  );
});
