import { ODD_JSON } from '@hitherto/testing/odd-values';
import { afterAll, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';

const api = await startApi();
afterAll(() => api.app.close());
const { id } = await api.createWebsite({ url: 'https://odd.example' });

const QUERY = { site_id: id, metrics: ['visitors'], date_range: '7d' };
/** Bodies with `@` in the place of a value. */
const BODIES = [
  ...['site_id', 'metrics', 'date_range', 'dimensions', 'filters', 'order_by', 'include', 'pagination'].map(
    (field) => ({ ...QUERY, [field]: '@' }),
  ),
  { ...QUERY, metrics: ['@'] },
  { ...QUERY, date_range: ['@', '2026-11-01'] },
  { ...QUERY, dimensions: ['@'] },
  { ...QUERY, filters: ['@'] },
  { ...QUERY, filters: [['@', 'visit:country', ['A']]] },
  { ...QUERY, filters: [['is', '@', ['A']]] },
  { ...QUERY, filters: [['is', 'visit:country', '@']] },
  { ...QUERY, filters: [['is', 'visit:country', ['@']]] },
  { ...QUERY, filters: [['is', 'visit:country', ['A'], '@']] },
  { ...QUERY, filters: [['is', 'visit:country', ['A'], {}, '@']] },
  { ...QUERY, filters: [['is', 'segment', ['@']]] },
  { ...QUERY, filters: [['and', '@']] },
  { ...QUERY, filters: [['not', '@']] },
  { ...QUERY, order_by: [['@', 'asc']] },
  { ...QUERY, include: { imports: '@' } },
  { ...QUERY, include: { comparisons: '@' } },
  { ...QUERY, include: { comparisons: { mode: '@' } } },
  { ...QUERY, include: { comparisons: { mode: 'custom', date_range: '@' } } },
  { ...QUERY, include: { comparisons: { mode: 'custom', date_range: ['@', '@'] } } },
  { ...QUERY, pagination: { limit: '@', offset: '@' } },
];

test.each(Object.entries(ODD_JSON))('%s in any place of a query never is a 5xx', async (_, json) => {
  for (const sent of BODIES) {
    const payload = JSON.stringify(sent).replaceAll('"@"', json);
    const { statusCode, body } = await api.app.inject({
      method: 'POST',
      url: '/api/v2/query',
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
      payload,
    });

    expect(statusCode, `${JSON.stringify(sent)} gets ${body}`).toBeLessThan(500);
    if (statusCode !== 200) expect(JSON.parse(body)).toEqual({ error: expect.any(String) });
  }
});
