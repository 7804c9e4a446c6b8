import { InvalidRequest } from '@hitherto/http';
import { describe, expect, test } from 'vitest';
import { readHitBody, readPixelQuery } from '../src/hits/read-hit-request.ts';
import { FROM } from './support/sender.ts';

const ID = '01997C3E-0000-7000-8000-000000000001';
const PAGE = 'https://ex.com/é';

/** Field and code of each error that reading reports. */
function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidRequest) return error.faults.map(({ field, code }) => `${field} ${code}`);
    throw error;
  }
  return [];
}

describe('a body', () => {
  test('with every member is read unchanged', () => {
    const fields = {
      url: PAGE,
      referrer: 'https://a.example',
      name: 'Buy',
      props: { a: 1, b: 'é', c: true },
      automated: true,
    };

    expect(readHitBody({ website: ID, ...fields, same_document: false }, FROM)).toEqual({
      website: ID,
      hit: { ...FROM, ...fields, url: new URL(PAGE), referrer: new URL(fields.referrer), sameDocument: false },
    });
  });

  test('may have null for absent fields', () => {
    const body = {
      website: ID,
      url: PAGE,
      referrer: null,
      name: null,
      props: null,
      automated: null,
      same_document: null,
    };

    expect(readHitBody(body, FROM)).toEqual({ website: ID, hit: { ...FROM, url: new URL(PAGE) } });
  });

  test.each<[string, object, string[]]>([
    ['without fields', {}, ['website required', 'url required']],
    ['with null for what is required', { website: null, url: null }, ['website invalid_type', 'url invalid_type']],
    ['with an empty website', { website: '', url: PAGE }, ['website required']],
    [
      'with wrong types',
      { website: 1, url: [PAGE], referrer: {}, name: 5, props: [], automated: 'true', same_document: 1 },
      [
        'website invalid_type',
        'url invalid_type',
        'referrer invalid_type',
        'name invalid_type',
        'props invalid_type',
        'automated invalid_type',
        'same_document invalid_type',
      ],
    ],
    [
      'with a nested property',
      { website: ID, url: PAGE, name: 'n', props: { a: {}, b: 1, c: null } },
      ['props.a invalid_type', 'props.c invalid_type'],
    ],
    ['with unknown fields', { website: ID, url: PAGE, ip: '203.0.113.1', time: 0 }, ['ip unknown', 'time unknown']],
    [
      'with odd names',
      { website: ID, url: PAGE, name: 'n', '<b>é': 1, props: { 'a.b\n': {} } },
      ['_b__ unknown', 'props.a_b_ invalid_type'],
    ],
    [
      'with faults in type and in value',
      { website: 7, url: 'x', name: '', extra: 1 },
      ['website invalid_type', 'extra unknown', 'url invalid_url', 'name required'],
    ],
  ])('%s is rejected with all errors', (_, body, faults) => {
    expect(faultsOf(() => readHitBody(body, FROM))).toEqual(faults);
  });

  test('may have a property called __proto__', () => {
    const body: object = JSON.parse(`{"website":"${ID}","url":"${PAGE}","name":"n","props":{"__proto__":1}}`);

    const { hit } = readHitBody(body, FROM);

    expect(JSON.stringify(hit.props)).toBe('{"__proto__":1}');
  });
});

describe('the parameters of the pixel', () => {
  test('are read, and others are ignored', () => {
    const query = { website: ID, url: PAGE, referrer: 'https://a.example', name: 'n', _: '1' };

    expect(readPixelQuery(query, undefined, FROM)).toEqual({
      website: ID,
      hit: { ...FROM, url: new URL(PAGE), referrer: new URL('https://a.example') },
    });
  });

  test('take the page from the Referer header when there is no url', () => {
    expect(readPixelQuery({ website: ID }, PAGE, FROM)).toEqual({ website: ID, hit: { ...FROM, url: new URL(PAGE) } });
    expect(readPixelQuery({ website: ID, url: `${PAGE}/2` }, PAGE, FROM).hit.url).toEqual(new URL(`${PAGE}/2`));
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['that are missing', {}, ['website required', 'url required']],
    ['that come more than once', { website: [ID, ID], url: [PAGE, PAGE] }, ['website repeated', 'url repeated']],
  ])('%s are rejected', (_, query, faults) => {
    expect(faultsOf(() => readPixelQuery(query, undefined, FROM))).toEqual(faults);
  });
});
