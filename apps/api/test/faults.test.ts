import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// api.md, "Errors".

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const WEBSITES = '/api/v1/websites';

describe('A 422 validation lists the errors of all fields at once, at most 100; field is cut at 64 characters', () => {
  const faulty = {
    url: 'nonsense',
    privacy: '3',
    password: 'x'.repeat(257),
    email: ' 1',
    exclude_bots: '',
    exclude_params: 'a=b\nc',
    exclude_ips: '::1\nx\ny',
    extra: '1',
  };
  const expected = [
    'email not_allowed',
    'exclude_bots not_allowed',
    'exclude_ips:2 invalid_ip',
    'exclude_ips:3 invalid_ip',
    'exclude_params:1 invalid_name',
    'extra unknown',
    'password too_long',
    'privacy not_allowed',
    'url invalid_url',
  ];

  test('of the body', async () => {
    const created = await api.send('POST', WEBSITES, { form: faulty });
    const updated = await api.send('PUT', `${WEBSITES}/x`, { form: faulty });

    expect(created.faults().sort()).toEqual(expected);
    expect(updated.faults().sort()).toEqual(expected);
  });

  test('of the body and of the query together', async () => {
    const response = await api.send('POST', `${WEBSITES}?verbose=1&twice=1&twice=1`, { form: faulty });

    expect(response.faults().sort()).toEqual([...expected, 'twice unknown', 'verbose unknown'].sort());
  });

  test('a missing required field is reported with the rest', async () => {
    const response = await api.send('POST', WEBSITES, { json: { privacy: 2, email: 7 } });

    expect(response.faults().sort()).toEqual(['email not_allowed', 'password password_required', 'url required']);
  });

  test('at most 100 errors', async () => {
    const lines = Array.from({ length: 500 }, () => 'x').join('\n');

    const response = await api.send('POST', WEBSITES, {
      json: { url: 'x', exclude_ips: lines, exclude_params: '#\n#' },
    });

    expect(response.problem().errors).toHaveLength(100);
  });

  test('field is cut at 64 characters; in an unknown name, all but letters, digits, _ and - becomes _', async () => {
    const response = await api.send('PATCH', `${WEBSITES}/x`, {
      json: { ['é🦊'.repeat(33)]: 1, ['a'.repeat(5000)]: 1 },
    });

    const fields = response.problem().errors?.map(({ field }) => field);
    expect(fields).toEqual(['_'.repeat(64), 'a'.repeat(64)]);
    expect(response.text.length).toBeLessThan(2000);
  });

  test('an unknown field whose name then looks like a known one does not hide the known one', async () => {
    const response = await api.send('POST', WEBSITES, {
      form: 'url=https://a.example&exclude.ips=x&exclude_ips=nonsense&time.zone=x&time_zone=%00',
    });

    expect(response.faults()).toEqual([
      'exclude_ips unknown',
      'time_zone unknown',
      'time_zone not_allowed',
      'exclude_ips:1 invalid_ip',
    ]);
  });

  test('an unknown parameter that contains a NUL is one error, with such a name', async () => {
    const response = await api.send('GET', `${WEBSITES}?a%20b=%00`);

    expect(response.faults()).toEqual(['a_b unknown']);
  });
});
