import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// api.md, "Annotations": how the API creates, lists, updates and deletes them.

interface AnnotationJson {
  readonly id: string;
  readonly day: string;
  readonly text: string;
  readonly is_public: boolean;
}

const FIELDS = { day: '2026-11-20', text: 'Version 2 <é> 🦊 released' };

let api: Api;
let website: string;
let all: string;
beforeEach(async () => {
  api = await startApi();
  website = (await api.createWebsite()).id;
  all = `/api/v1/websites/${website}/annotations`;
});

async function create(json: object = FIELDS) {
  const response = await api.send('POST', all, { json });
  expect(response.status, response.text).toBe(201);
  return { ...response.json<{ data: AnnotationJson }>().data, etag: response.header('etag') ?? '' };
}

const list = async (query = '') => (await api.send('GET', `${all}${query}`)).json<{ data: AnnotationJson[] }>().data;
const faultsOf = async (method: string, path: string, json?: unknown) => {
  const response = await api.send(method, path, json === undefined ? {} : { json });
  expect(response.status, response.text).toBe(422);
  return response.json<{ errors: { field: string; code: string }[] }>().errors.map(({ field, code }) => [field, code]);
};

describe('an annotation', () => {
  test('that a script posts is shown with all its fields, private unless it says otherwise', async () => {
    const { etag: _, ...created } = await create();
    await create({ ...FIELDS, day: '2026-11-19', is_public: true });

    expect(created).toEqual({
      id: expect.any(String),
      ...FIELDS,
      is_public: false,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
    });
    expect((await list()).map(({ day, is_public }) => [day, is_public])).toEqual([
      ['2026-11-19', true],
      ['2026-11-20', false],
    ]);
  });

  test('is listed by its days', async () => {
    for (const day of ['2026-11-21', '2026-11-01', '2026-11-20']) await create({ ...FIELDS, day });

    expect((await list('?from=2026-11-02&to=2026-11-20')).map(({ day }) => day)).toEqual(['2026-11-20']);
    expect(await faultsOf('GET', `${all}?from=2026-11-02`)).toEqual([['to', 'required']]);
    expect(await faultsOf('GET', `${all}?from=x&to=2026-02-30`)).toEqual([
      ['from', 'not_allowed'],
      ['to', 'not_allowed'],
    ]);
    expect(await faultsOf('GET', `${all}?from=2026-11-02&to=2026-11-01`)).toEqual([['to', 'not_allowed']]);
  });

  test('is rejected with every fault of every field', async () => {
    expect(await faultsOf('POST', all, {})).toEqual([
      ['day', 'required'],
      ['text', 'required'],
    ]);
    expect(
      await faultsOf('POST', all, { day: '2026-02-30', text: 'x'.repeat(201), is_public: 1, colour: 'red' }),
    ).toEqual([
      ['is_public', 'invalid_type'],
      ['colour', 'unknown'],
      ['day', 'not_allowed'],
      ['text', 'too_long'],
    ]);
    expect(await list()).toEqual([]);
  });

  test('is in the audit trail when it is created, updated and deleted', async () => {
    const { id } = await create();
    await api.send('PATCH', `${all}/${id}`, { json: { text: 'b', is_public: true } });
    await api.send('DELETE', `${all}/${id}`);

    const response = await api.send('GET', `/api/v1/audit?website=${website}`);

    const [deleted, updated, created] = response.json<{ data: { changes: object[] }[] }>().data;
    expect(created).toMatchObject({ action: 'annotation.created', subject: { id, name: FIELDS.text } });
    expect(updated).toMatchObject({ action: 'annotation.updated', subject: { id, name: 'b' } });
    expect(updated?.changes).toEqual([
      { field: 'text', before: FIELDS.text, after: 'b' },
      { field: 'is_public', before: false, after: true },
    ]);
    expect(deleted).toMatchObject({ action: 'annotation.deleted' });
  });
});
