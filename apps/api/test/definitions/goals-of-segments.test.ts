import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { create } from './definitions.ts';

// api.md, "Segments, goals and funnels": what becomes of segments that name goals. How a goal changes.

let api: Api;
let website: string;
beforeAll(async () => {
  api = await startApi();
  website = `/api/v1/websites/${(await api.createWebsite()).id}`;
});
afterAll(() => api.app.close());

let count = 0;
const aGoal = (fields: object = { event: 'x' }) => {
  count += 1;
  return create(api, `${website}/goals`, { name: `goal ${count}`, ...fields });
};
const aSegment = (filters: object) => {
  count += 1;
  return create(api, `${website}/segments`, { name: `segment ${count}`, filters });
};

describe('a segment that names a goal', () => {
  test('says so once the goal is deleted, in every response', async () => {
    const goal = await aGoal();
    const { one, data } = await aSegment({ goal: [goal.data.id], 'goal.not': [goal.data.id.toUpperCase()] });
    expect(data).not.toHaveProperty('faults');

    await api.send('DELETE', goal.one);
    const shown = await api.send('GET', one);
    const listed = await api.send('GET', `${website}/segments`);

    const faults = [
      { field: 'filters.goal', code: 'unknown_goal' },
      { field: 'filters.goal.not', code: 'unknown_goal' },
    ];
    expect(shown.json()).toEqual({ data: { ...data, faults } });
    expect(listed.text).toContain(JSON.stringify(faults));
  });

  test('can still be renamed once the goal is deleted, and sent back, but takes no other unknown goal', async () => {
    const goal = await aGoal();
    const { one, data } = await aSegment({ goal: [goal.data.id], os: ['Linux'] });
    await api.send('DELETE', goal.one);

    const renamed = await api.send('PATCH', one, { json: { name: 'old readers', filters: data.filters } });
    const changed = await api.send('PATCH', one, { json: { filters: { goal: [goal.data.id] } } });
    const mended = await api.send('PATCH', one, { json: { filters: { os: ['Linux'] } } });

    expect(renamed.status).toBe(200);
    expect(changed.faults()).toEqual(['filters.goal unknown_goal']);
    expect(mended.json<{ data: object }>().data).not.toHaveProperty('faults');
  });

  test('keeps the goal when only its match changes', async () => {
    const goal = await aGoal();
    const { one, data } = await aSegment({ goal: [goal.data.id], os: ['Linux'] });
    await api.send('DELETE', goal.one);

    const changed = await api.send('PATCH', one, { json: { match: 'any' } });

    expect(changed.status).toBe(200);
    expect(changed.json()).toMatchObject({
      data: { filters: data.filters, match: 'any', faults: [{ field: 'filters.goal', code: 'unknown_goal' }] },
    });
  });

  test('has another ETag once the goal is deleted, and both are conditions for a change', async () => {
    const goal = await aGoal();
    const { one, data } = await aSegment({ goal: [goal.data.id] });
    const before = (await api.send('GET', one)).header('etag') ?? '';
    await api.send('DELETE', goal.one);

    const shown = await api.send('GET', one, { headers: { 'if-none-match': before } });
    const after = shown.header('etag') ?? '';
    const again = await api.send('GET', one, { headers: { 'if-none-match': after } });
    const changed = await api.send('PATCH', one, { json: { name: data.name }, headers: { 'if-match': after } });
    const removed = await api.send('DELETE', one, { headers: { 'if-match': before } });

    expect([shown.status, again.status, changed.status, removed.status]).toEqual([200, 304, 200, 204]);
    expect(after).not.toBe(before);
    expect(changed.header('etag')).toBe(after);
  });

  test('is created once: a repeat gets the first response, without faults', async () => {
    const goal = await aGoal();
    const request = {
      json: { name: 'once', filters: { goal: [goal.data.id] } },
      headers: { 'idempotency-key': 'a-segment' },
    };
    const first = await api.send('POST', `${website}/segments`, request);
    await api.send('DELETE', goal.one);

    const repeated = await api.send('POST', `${website}/segments`, request);

    expect(repeated.header('idempotent-replayed')).toBe('true');
    expect(repeated.text).toBe(first.text);
  });

  test("takes no goal of another website, and another website's segment is 404 before its goals are looked at", async () => {
    const other = await api.createWebsite();
    const { data } = await create(api, `/api/v1/websites/${other.id}/goals`, { name: 'a', event: 'x' });
    const json = { name: 'a', filters: { goal: [data.id] } };

    const refused = await api.send('POST', `${website}/segments`, { json });
    const unknown = await api.send('POST', `${website}/segments`, { json, key: api.otherKey });

    expect(refused.faults()).toEqual(['filters.goal unknown_goal']);
    expect(unknown.status).toBe(404);
  });
});

describe('a goal', () => {
  test('switches between event and page where the other is sent as null', async () => {
    const { one, data } = await aGoal({ event: 'x', props: { plan: 'pro' }, sum: 'amount' });
    const { id, name, created_at } = data;

    const refused = await api.send('PATCH', one, { json: { page: '/thanks' } });
    const toPage = await api.send('PATCH', one, { json: { event: null, page: '/thanks' } });
    const toEvent = await api.send('PATCH', one, { json: { event: 'y', page: null, sum: 'z' } });

    expect(refused.faults()).toEqual(['page not_allowed']);
    expect(toPage.json()).toMatchObject({ data: { id, name, page: '/thanks', created_at } });
    expect(toPage.text).not.toMatch(/"(?:event|props|sum)"/);
    expect(toEvent.json<{ data: object }>().data).toEqual({
      ...{ id, name, event: 'y', sum: 'z', created_at },
      updated_at: expect.any(String),
    });
  });

  test('counts pageviews that reached a place and a time, and says which', async () => {
    const { one, data } = await aGoal({ page: '/blog/*', scroll: 75, seconds: 30 });

    const alone = await api.send('PATCH', one, { json: { scroll: null } });
    const refused = await api.send('PATCH', one, { json: { seconds: 1_801 } });

    expect(data).toMatchObject({ page: '/blog/*', scroll: 75, seconds: 30 });
    expect(alone.json()).toMatchObject({ data: { page: '/blog/*', seconds: 30 } });
    expect(alone.text).not.toContain('"scroll"');
    expect(refused.faults().map((fault) => fault.split(' ')[0])).toEqual(['seconds']);
  });

  test('what does not fit the stored goal is 422 after 412, and 412 after 404', async () => {
    const { one } = await aGoal({ page: '/thanks' });
    const json = { event: 'x' };

    const misfit = await api.send('PATCH', one, { json });
    const stale = await api.send('PATCH', one, { json, headers: { 'if-match': '"stale"' } });
    const gone = await api.send('PATCH', `${one}0`, { json, headers: { 'if-match': '"stale"' } });

    expect([misfit.status, stale.status, gone.status]).toEqual([422, 412, 404]);
  });
});
