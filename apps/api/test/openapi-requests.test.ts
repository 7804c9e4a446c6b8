import type { OpenApiDocument } from '@hitherto/testing/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// What the document says about requests: every generator can read it, and generated clients send what is accepted.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const WEBSITES = '/api/v1/websites';

/** Each value in the document with its path. */
function* valuesOf(value: unknown, path = ''): Generator<[string, unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* valuesOf(member, `${path}/${name}`);
}

function schemaOf({ components }: OpenApiDocument, name: string) {
  return components.schemas[name] as { properties: Record<string, Record<string, unknown>> };
}

describe('Patterns use only what all regular expressions have', () => {
  test('no pattern has a Unicode property, a NUL or a character beyond ASCII', () => {
    const patterns = [...valuesOf(api.document)].filter(([path]) => path.endsWith('/pattern'));

    for (const [path, pattern] of patterns) expect([path, pattern]).toEqual([path, expect.stringMatching(/^[ -~]+$/)]);
    for (const [path, pattern] of patterns) {
      expect([path, pattern]).toEqual([path, expect.not.stringMatching(/\\[pP]\{|\\u0000|\\x00|\\0/)]);
    }
  });

  test.each(['url', 'password', 'exclude_params', 'exclude_ips'])('%s with a NUL is still refused', async (name) => {
    const json = { url: 'https://a.example', [name]: 'https://a.example/\0' };

    const response = await api.send('POST', WEBSITES, { json });

    expect(response.faults()).toEqual([`${name} not_allowed`]);
  });

  test('a filter, an event and a day with a NUL are still refused', async () => {
    const statistics = `${WEBSITES}/x/statistics`;

    const filter = await api.send('GET', `${statistics}?source=%00`);
    const event = await api.send('GET', `${statistics}/by/property?event=%00&property=%00`);
    const day = await api.send('GET', `${statistics}?from=%00&to=2026-11-01`);

    expect(filter.faults()).toEqual(['source not_allowed']);
    expect(event.faults()).toEqual(['event not_allowed', 'property not_allowed']);
    expect(day.faults()).toEqual(['from not_allowed']);
  });
});

describe('Integers are integers', () => {
  test('no enum of the document holds strings of digits', () => {
    const enums = [...valuesOf(api.document)].filter(([path]) => path.endsWith('/enum'));

    for (const [path, values] of enums) {
      expect([path, values]).toEqual([path, expect.not.arrayContaining([expect.stringMatching(/^\d+$/)])]);
    }
  });

  test('per_page has a minimum and a maximum', () => {
    for (const path of [WEBSITES, `${WEBSITES}/{id}/statistics/by/{dimension}`]) {
      const perPage = api.document.paths[path]?.get?.parameters?.find(({ name }) => name === 'per_page');

      expect(perPage?.schema).toEqual({ type: 'integer', minimum: 10, maximum: 100, default: 10 });
    }
  });

  test.each(['CreateWebsiteJson', 'CreateWebsiteForm', 'UpdateWebsiteJson', 'UpdateWebsiteForm'])(
    'the enums of %s are integers',
    (name) => {
      const { properties } = schemaOf(api.document, name);

      expect(properties.privacy).toMatchObject({ type: 'integer', enum: [0, 1, 2] });
      expect(properties.email).toMatchObject({ type: 'integer', enum: [0, 1] });
      expect(properties.exclude_bots).toMatchObject({ type: 'integer', enum: [0, 1] });
    },
  );

  test('a form has text where JSON also allows null', () => {
    const form = schemaOf(api.document, 'UpdateWebsiteForm');
    const json = schemaOf(api.document, 'UpdateWebsiteJson');

    expect(form.properties.password?.type).toBe('string');
    expect(json.properties.password?.type).toEqual(['string', 'null']);
  });
});

describe('The message for a wrong type names the right one', () => {
  test.each([
    ['privacy', '2', 'Must be a number in JSON, not a string.'],
    ['privacy', true, 'Must be a number in JSON, not true or false.'],
    ['privacy', null, 'Must be a number in JSON, not null.'],
    ['privacy', [2], 'Must be a number in JSON, not a list.'],
    ['privacy', 1.5, 'Must be a whole number in JSON.'],
    ['password', 2, 'Must be a string or null in JSON, not a number.'],
    ['url', {}, 'Must be a string in JSON, not an object.'],
  ])('%s as %j', async (field, value, message) => {
    const response = await api.send('PATCH', `${WEBSITES}/x`, { json: { [field]: value } });

    const [fault] = response.problem().errors ?? [];
    expect(fault).toMatchObject({ field, code: 'invalid_type', detail: expect.stringContaining(message) });
  });
});
