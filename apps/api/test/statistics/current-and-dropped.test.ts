import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { addHits } from './histories.ts';

// api.md, "Statistics": GET …/statistics/current and …/statistics/dropped.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const get = (id: string, path: string) => api.send('GET', `/api/v1/websites/${id}/statistics/${path}`);

describe('GET …/statistics/current', () => {
  test('counts the distinct visitors of the last 5 minutes', async () => {
    const { id } = await api.createWebsite();
    await addHits(api, id, [
      { visitor: 1n, time: new Date('2026-11-20T11:55:00.000Z') },
      { visitor: 1n, time: new Date('2026-11-20T11:59:00.000Z') },
      { visitor: 2n, time: new Date('2026-11-20T11:59:00.000Z') },
      { visitor: 3n, time: new Date('2026-11-20T11:54:59.999Z') },
    ]);

    expect((await get(id, 'current')).text).toBe('{"data":{"visitors":2}}');
  });

  test('takes no parameters', async () => {
    const { id } = await api.createWebsite();

    expect((await get(id, 'current?from=2026-11-20&to=2026-11-20')).faults().toSorted()).toEqual([
      'from unknown',
      'to unknown',
    ]);
  });
});

describe('GET …/statistics/dropped', () => {
  test('lists the reasons of the period, most hits first', async () => {
    const { id } = await api.createWebsite();
    await api.hits.add(
      [],
      [
        { websiteId: id, day: '2026-11-20', reason: 'excluded_ip', hits: 2 },
        { websiteId: id, day: '2026-11-19', reason: 'bot', hits: 5 },
        { websiteId: id, day: '2026-11-20', reason: 'bot', hits: 7 },
        { websiteId: id, day: '2026-10-01', reason: 'prefetch', hits: 99 },
      ],
    );

    expect((await get(id, 'dropped')).text).toBe(
      '{"data":[{"reason":"bot","hits":12},{"reason":"excluded_ip","hits":2}],"meta":{"from":"2026-10-24","to":"2026-11-20","time_zone":"UTC"}}',
    );
    expect((await get(id, 'dropped?from=2026-11-19&to=2026-11-19')).json()).toMatchObject({
      data: [{ reason: 'bot', hits: 5 }],
    });
  });

  test('takes a period and nothing else', async () => {
    const { id } = await api.createWebsite();

    expect((await get(id, 'dropped?source=a')).faults()).toEqual(['source unknown']);
    expect((await get(id, 'dropped?from=2026-11-20')).faults()).toEqual(['to required']);
  });
});
