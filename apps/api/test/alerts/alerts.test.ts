import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// alerts.md: the routes. When alerts fire is tested in packages/domain and packages/contracts.

let api: Api;
let path: string;
beforeEach(async () => {
  api = await startApi();
  path = `/api/v1/websites/${(await api.createWebsite()).id}/alerts`;
});

interface Shown {
  readonly id: string;
  readonly [field: string]: unknown;
}

const create = async (json: object): Promise<Shown> => {
  const response = await api.send('POST', path, { json });
  expect(response.status).toBe(201);
  return response.json<{ data: Shown }>().data;
};
const errorsOf = async (method: string, at: string, json: unknown) => {
  const { status, json: read } = await api.send(method, at, { json });
  const { errors } = read<{ errors: { field: string; code: string }[] }>();
  return [status, ...errors.map(({ field, code }) => `${field} ${code}`)];
};

describe('an alert', () => {
  test('is created with the members that its rule uses, and goes to mail and webhooks unless said otherwise', async () => {
    const response = await api.send('POST', path, { json: { rule: 'silence', hours: 24 } });

    const { data } = response.json<{ data: Shown }>();
    expect(data).toEqual({
      id: expect.any(String),
      rule: 'silence',
      threshold: null,
      hours: 24,
      percent: null,
      goal_id: null,
      email: true,
      webhooks: true,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
    });
    expect(response.headers.location).toBe(`${path}/${data.id}`);
    expect((await api.send('GET', path)).json<{ data: Shown[] }>().data).toEqual([data]);
    expect((await api.send('GET', `${path}/${data.id.toUpperCase()}`)).json<{ data: Shown }>().data).toEqual(data);
  });

  test('may be sent back as it was shown', async () => {
    const { id, created_at: _, updated_at: updatedAt, ...fields } = await create({ rule: 'drop', email: false });

    const { json } = await api.send('PATCH', `${path}/${id}`, { json: fields });
    expect(json<{ data: Shown }>().data.updated_at).toBe(updatedAt);
  });

  test('of a goal names one of the website', async () => {
    const goal = await api.send('POST', path.replace('alerts', 'goals'), { json: { name: 'Signup', event: 'Signup' } });
    const { id } = goal.json<{ data: Shown }>().data;

    expect(await create({ rule: 'goal', goal_id: id.toUpperCase(), threshold: 5 })).toMatchObject({ goal_id: id });
    expect(await errorsOf('POST', path, { rule: 'goal', goal_id: 'x', threshold: 5 })).toEqual([
      422,
      'goal_id unknown_goal',
    ]);
  });

  test('is rejected with its faults', async () => {
    expect(await errorsOf('POST', path, {})).toEqual([422, 'rule required']);
    expect(await errorsOf('POST', path, { rule: 'goal', hours: 1 })).toEqual([
      422,
      'threshold required',
      'hours not_allowed',
      'goal_id required',
    ]);
    expect(await errorsOf('POST', path, { rule: 'silence', hours: 169, email: false, webhooks: false })).toEqual([
      422,
      'hours not_allowed',
      'email required',
    ]);
    expect(await errorsOf('POST', path, { rule: 'x', threshold: '5', hour: 1 })).toEqual([
      422,
      'threshold invalid_type',
      'hour unknown',
      'rule not_allowed',
    ]);
    expect(await errorsOf('POST', path, { rule: 'silence', hours: 169, foo: 1 })).toEqual([
      422,
      'foo unknown',
      'hours not_allowed',
    ]);
    const fraction = await api.send('POST', path, { json: { rule: 'silence', hours: 1.5 } });
    expect(fraction.json()).toMatchObject({
      errors: [{ detail: expect.stringMatching(/^Must be a whole number or null in JSON\./) }],
    });
  });

  test('is checked field by field before its website and its version, and against its rule after them', async () => {
    const { id } = await create({ rule: 'silence', hours: 24 });
    const unknown = '/api/v1/websites/01997c3e-0000-7000-8000-00000000dead/alerts';
    const stale = { 'if-match': '"stale"' };
    const patch = async (at: string, json: object, headers = {}) =>
      (await api.send('PATCH', at, { json, headers })).problem().code;

    const ofGoal = { rule: 'goal', goal_id: 'x', threshold: 5 };
    expect((await api.send('POST', unknown, { json: ofGoal })).status).toBe(404);
    expect((await api.send('POST', unknown, { json: { ...ofGoal, threshold: 0 } })).status).toBe(422);
    expect(await patch(`${path}/x`, { hours: 0 })).toBe('validation');
    expect(await patch(`${path}/x`, { rule: 'drop' }, stale)).toBe('not_found');
    expect(await patch(`${path}/${id}`, { hours: 0 }, stale)).toBe('validation');
    expect(await patch(`${path}/${id}`, { rule: 'drop' }, stale)).toBe('precondition_failed');
    expect(await errorsOf('PATCH', `${path}/${id}`, { rule: 'drop', hours: 0, foo: 1 })).toEqual([
      422,
      'foo unknown',
      'hours not_allowed',
    ]);
    expect(await errorsOf('PATCH', `${path}/${id}`, { rule: 'drop', hours: null })).toEqual([
      422,
      'rule not_allowed',
      'hours required',
    ]);
  });

  test('keeps its rule, and has entries in the audit trail', async () => {
    const { id } = await create({ rule: 'silence', hours: 24 });
    const one = `${path}/${id}`;

    await api.send('PATCH', one, { json: { hours: 48 } });
    expect(await errorsOf('PATCH', one, { rule: 'drop' })).toEqual([422, 'rule not_allowed']);
    expect(await errorsOf('PATCH', one, { hours: null })).toEqual([422, 'hours required']);
    await api.send('DELETE', one);

    const { data } = (await api.send('GET', '/api/v1/audit')).json<{ data: { action: string; changes: object[] }[] }>();
    expect(data.slice(0, 3).map(({ action }) => action)).toEqual(['alert.deleted', 'alert.updated', 'alert.created']);
    expect(data[1]?.changes).toEqual([{ field: 'hours', before: 24, after: 48 }]);
  });
});
