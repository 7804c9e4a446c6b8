import { InvalidRequest } from '@hitherto/http';
import { describe, expect, test } from 'vitest';
import { readPlausibleBody } from '../../src/foreign/plausible-hit.ts';
import { FROM } from '../support/sender.ts';

const PAGE = 'https://ex.com/é';
const URL_OF_PAGE = new URL(PAGE);
const readBody = (body: object) => readPlausibleBody(body, FROM);

function faultsOf(body: object): string[] {
  try {
    readBody(body);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.faults.map(({ field, code }) => `${field} ${code}`);
    throw error;
  }
  return [];
}

describe('an event from a Plausible tracker', () => {
  test.each<[string, object]>([
    ['with short names', { n: 'pageview', u: PAGE, d: 'ex.com', r: 'https://a.example', w: 1280, h: 1, v: 24 }],
    [
      'with long names',
      { name: 'pageview', url: PAGE, domain: 'ex.com', referrer: 'https://a.example', screen_width: 1 },
    ],
  ])('%s is a pageview', (_, body) => {
    expect(readBody(body)).toEqual({
      website: 'ex.com',
      hit: { ...FROM, url: URL_OF_PAGE, referrer: new URL('https://a.example') },
    });
  });

  test.each<[string, object]>([
    ['p', { p: { plan: 'é' } }],
    ['p as text', { p: '{"plan":"é"}' }],
    ['m as text', { m: '{"plan":"é"}' }],
    ['props', { props: { plan: 'é' } }],
    ['props as text, p being null', { p: null, props: '{"plan":"é"}' }],
  ])('may have its properties in %s', (_, props) => {
    const read = readBody({ n: 'Signup', u: PAGE, d: 'ex.com', r: null, ...props });

    expect(read).toEqual({
      website: 'ex.com',
      hit: { ...FROM, url: URL_OF_PAGE, name: 'Signup', props: { plan: 'é' } },
    });
  });

  test.each<[string, object]>([
    ['null', { p: null }],
    ['null as text', { p: 'null' }],
    ['an empty text', { p: '' }],
    ['an empty list', { props: [] }],
    ['an empty list as text', { p: '[]' }],
  ])('has no properties if they are %s', (_, props) => {
    const read = readBody({ n: 'Signup', u: PAGE, d: 'ex.com', ...props });

    expect(read).toEqual({ website: 'ex.com', hit: { ...FROM, url: URL_OF_PAGE, name: 'Signup' } });
  });

  test('that is a pageview loses its properties', () => {
    const read = readBody({ n: 'pageview', u: PAGE, d: 'ex.com', p: { author: 'é' } });

    expect(read).toEqual({ website: 'ex.com', hit: { ...FROM, url: URL_OF_PAGE } });
  });

  test('that exceeds the limits is cut to what fits', () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, index]));
    const p = { text: '🦊'.repeat(201), ['n'.repeat(41)]: 1, nested: {}, none: null, nul: '\0', ...many };

    const read = readBody({ n: 'é'.repeat(65), u: PAGE, d: 'ex.com', p: JSON.stringify(p) });

    expect(read?.hit.name).toBe('é'.repeat(64));
    expect(Object.entries(read?.hit.props ?? {})).toEqual([
      ['text', '🦊'.repeat(200)],
      ...Object.entries(many).slice(0, 9),
    ]);
  });

  test.each([
    ['\n  Sign\r\nup\t', 'Sign up'],
    [`${'x'.repeat(49)}\ud83e`, 'x'.repeat(49)],
    [' Sign  up ', ' Sign  up '],
  ])('has a name without control characters and half characters: %j', (n, name) => {
    expect(readBody({ n, u: PAGE, d: 'ex.com' })?.hit.name).toBe(name);
  });

  test.each<[object, { seconds: number; scroll: number }]>([
    [
      { e: 4_600, sd: 50 },
      { seconds: 5, scroll: 50 },
    ],
    [
      { e: 400, sd: 100 },
      { seconds: 0, scroll: 100 },
    ],
    [
      { e: 86_400_000, sd: 101 },
      { seconds: 1_800, scroll: 100 },
    ],
    [
      { e: -1, sd: -1 },
      { seconds: 0, scroll: 0 },
    ],
    [
      { e: '5000', sd: null },
      { seconds: 0, scroll: 0 },
    ],
    [{}, { seconds: 0, scroll: 0 }],
  ])('that reports engagement of %j is a measure of its page', (fields, measure) => {
    const read = readBody({ n: 'engagement', u: PAGE, d: 'ex.com', p: { author: 'é' }, v: 36, ...fields });

    expect(read).toEqual({ website: 'ex.com', hit: { ...FROM, url: URL_OF_PAGE, measure } });
  });
});

describe('errors', () => {
  test.each<[string, object, string[]]>([
    ['of an empty object', {}, ['n required', 'd required', 'u required']],
    [
      'of wrong types',
      { n: 1, u: 2, d: 3, r: 4 },
      ['n invalid_type', 'u invalid_type', 'r invalid_type', 'd invalid_type'],
    ],
    [
      'of wrong types with long names',
      { name: 1, url: 2, domain: 3 },
      ['name invalid_type', 'url invalid_type', 'domain invalid_type'],
    ],
    ['of malformed JSON in properties', { n: 'a', u: PAGE, d: 'x', m: '{' }, ['m invalid_type']],
    ['of a list of properties', { n: 'a', u: PAGE, d: 'x', props: [1] }, ['props invalid_type']],
    ['of a list of properties as text', { n: 'a', u: PAGE, d: 'x', p: '[{}]' }, ['p invalid_type']],
    ['of a name of control characters alone', { n: '\n\0', url: PAGE, d: 'x' }, ['n required']],
  ])('%s are reported under the names that were sent', (_, body, faults) => {
    expect(faultsOf(body)).toEqual(faults);
  });
});
