import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// api.md, "Bodies": how integers are spelled.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const WEBSITES = '/api/v1/websites';
const VALUES = { privacy: [0, 1, 2], email: [0, 1], exclude_bots: [0, 1] } as const;
const FIELDS = ['privacy', 'email', 'exclude_bots'] as const;
const NOT_ALLOWED = FIELDS.map((field) => `${field} not_allowed`).toSorted();

/** Spellings that a lenient parser would read as 0, 1 or 2. */
const SPELLINGS = [
  '',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '\v',
  '\f',
  '\u{a0}',
  '\u{2003}',
  '\u{feff}',
  '\u{200b}',
  ' 1',
  '1 ',
  '\t1',
  '1\n',
  '\u{a0}1',
  '\u{feff}1',
  '1.0',
  '1.',
  '.1',
  '1,0',
  '0.0',
  '1e0',
  '1E0',
  '0e0',
  '10e-1',
  '+1',
  '+0',
  '-0',
  '-1',
  '--1',
  '0x1',
  '0X1',
  '0b1',
  '0o1',
  '01',
  '00',
  '001',
  '1n',
  '1_0',
  '1;',
  '"1"',
  '[1]',
  '{}',
  '٣',
  '１',
  '०',
  'true',
  'false',
  'on',
  'off',
  'yes',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'public',
  'Private',
  'é🦊',
  '3',
  '9',
  '10',
  '99999999999999999999',
  '1'.repeat(300),
];

describe('Forms and queries accept exactly the listed integers in plain decimal', () => {
  test.each(FIELDS)('%s accepts each listed value and returns it', async (field) => {
    const { id } = await api.createWebsite();
    for (const value of VALUES[field]) {
      const fields = { [field]: String(value), ...(value === 2 ? { password: 'p' } : {}) };
      const response = await api.send('PATCH', `${WEBSITES}/${id}`, { form: fields });

      expect(response.website()[field]).toBe(value);
    }
  });

  test('any other spelling is 422 and changes nothing, least of all to 0', async () => {
    const before = await api.createWebsite({ privacy: 1, email: 1, exclude_bots: 1 });

    for (const spelling of SPELLINGS) {
      const form = Object.fromEntries(FIELDS.map((field) => [field, spelling]));
      const updated = await api.send('PATCH', `${WEBSITES}/${before.id}`, { form });
      const created = await api.send('POST', WEBSITES, { form: { url: 'https://never.example', ...form } });

      expect(updated.faults().toSorted(), spelling).toEqual(NOT_ALLOWED);
      expect(created.faults().toSorted(), spelling).toEqual(NOT_ALLOWED);
    }
    const two = await api.send('PATCH', `${WEBSITES}/${before.id}`, { form: { email: '2', exclude_bots: '2' } });
    expect(two.faults().toSorted()).toEqual(['email not_allowed', 'exclude_bots not_allowed']);
    const after = await api.send('GET', `${WEBSITES}/${before.id}`);
    expect(after.website()).toEqual(before);
  });

  test.each(FIELDS)('%s as a bare name, with a plus sign as its value, or in brackets is 422', async (field) => {
    const bare = await api.send('PATCH', `${WEBSITES}/x`, { form: field });
    const plus = await api.send('PATCH', `${WEBSITES}/x`, { form: `${field}=+` });
    const brackets = await api.send('PATCH', `${WEBSITES}/x`, { form: `${field}%5B%5D=1` });

    expect([bare.faults(), plus.faults(), brackets.faults()]).toEqual([
      [`${field} not_allowed`],
      [`${field} not_allowed`],
      [`${field}__ unknown`],
    ]);
  });

  test('per_page accepts 10 to 100; other values are neither clamped nor repaired', async () => {
    for (const value of [10, 11, 55, 99, 100]) {
      const response = await api.send('GET', `${WEBSITES}?per_page=${value}`);
      expect(response.list().meta.per_page).toBe(value);
    }
    const others = ['0', '1', '9', '101', '1000', '-10', '+10', '010', '10.0', '1e1', '0xA', ' 10', '10 ', '１０'];
    for (const spelling of [...SPELLINGS.filter((text) => text !== '10'), ...others]) {
      const response = await api.send('GET', `${WEBSITES}?per_page=${encodeURIComponent(spelling)}`);
      expect(response.faults(), spelling).toEqual(['per_page not_allowed']);
    }
  });

  test('per_page defaults to 10', async () => {
    const response = await api.send('GET', WEBSITES);

    expect(response.list().meta.per_page).toBe(10);
  });
});

describe('JSON accepts numbers equal to a listed integer, never strings or booleans', () => {
  const patch = (id: string, value: string) =>
    api.send('PATCH', `${WEBSITES}/${id}`, {
      headers: { 'content-type': 'application/json' },
      body: `{${FIELDS.map((field) => `"${field}":${value}`).join()}}`,
    });

  test('a number is accepted', async () => {
    const { id } = await api.createWebsite();
    for (const text of ['0', '1', '1.0', '1e0', '10E-1', '-0', '0.0']) {
      const website = (await patch(id, text)).website();
      expect(
        FIELDS.map((field) => website[field]),
        text,
      ).toEqual(FIELDS.map(() => Math.abs(Number(text))));
    }
  });

  test('anything else is 422', async () => {
    for (const value of [
      '"1"',
      '"0"',
      '""',
      '" "',
      'true',
      'false',
      'null',
      '[1]',
      '[]',
      '{}',
      '{"a":1}',
      '1.5',
      '3',
      '-1',
      '1e400',
      '-1e400',
      '1e-9',
      '9007199254740993',
      '0.30000000000000004',
    ]) {
      const faults = (await patch('x', value)).problem().errors;
      expect(faults?.map(({ field }) => field).toSorted(), value).toEqual([...FIELDS].toSorted());
    }
  });
});
