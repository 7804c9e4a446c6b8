import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HitInput, readHit } from '../../src/hits/read-hit.ts';

const URL_OF_PAGE = 'https://ex.com/é?page=2';

const FROM = { sender: 'browser', time: new Date('2026-11-20T12:00:00Z') } as const;
const read = (input: HitInput) => readHit(input, FROM);

/** Field and code of each fault. */
function faultsOf(input: HitInput): string[] {
  const result = read(input);
  return 'faults' in result ? result.faults.map(({ field, code }) => `${field} ${code}`) : [];
}

const characters = (length: number) => '🦊'.repeat(length);

describe('a hit of any sender', () => {
  test.each<[string, HitInput]>([
    ['a pageview', { url: URL_OF_PAGE }],
    ['an event', { url: URL_OF_PAGE, name: 'Sign up é', props: { plan: 'pro', seats: 3, trial: false } }],
    ['an automated browser', { url: URL_OF_PAGE, referrer: 'https://other.example/', automated: true }],
    ['an address in capitals', { url: 'HTTPS://EX.COM' }],
    ['a name of 64 characters', { url: URL_OF_PAGE, name: characters(64) }],
    ['the largest properties', { url: URL_OF_PAGE, name: 'n', props: { [characters(40)]: characters(200) } }],
    ['an address of 4,096 bytes', { url: `https://ex.com/${'a'.repeat(4_096 - 15)}` }],
  ])('%s is accepted unchanged, with its addresses parsed', (_, input) => {
    const { url = '', referrer, ...fields } = input;

    expect(read(input)).toEqual({
      hit: { ...FROM, ...fields, url: new URL(url), ...(referrer && { referrer: new URL(referrer) }) },
    });
  });

  test('the referrer may be an Android app', () => {
    expect(read({ url: URL_OF_PAGE, referrer: 'android-app://com.example.App/x' })).toMatchObject({
      hit: { referrer: { app: 'com.example.app' } },
    });
  });

  test.each(['', 'a', 'ftp://ex.com/', 'https://ex.com/a\0b', 'https://ex.com/\ud800'])(
    'the unusable referrer %j counts as none',
    (referrer) => {
      expect(read({ url: URL_OF_PAGE, referrer })).toEqual({ hit: { ...FROM, url: new URL(URL_OF_PAGE) } });
    },
  );
});

describe('a refused hit', () => {
  test.each<[string, HitInput, string[]]>([
    ['without url', {}, ['url required']],
    ['with an empty url', { url: '' }, ['url required']],
    ['with a path', { url: '/page' }, ['url invalid_url']],
    ['with another scheme', { url: 'file:///page' }, ['url invalid_url']],
    ['with a url that no parser reads', { url: 'https://a b/' }, ['url invalid_url']],
    ['with NUL in the url', { url: 'https://ex.com/\0' }, ['url invalid_url']],
    ['with a url of 4,097 bytes', { url: `https://ex.com/${'a'.repeat(4_097 - 15)}` }, ['url too_long']],
    ['with a url that is longer in bytes', { url: `https://ex.com/${'é'.repeat(2_048)}` }, ['url too_long']],
    ['with an empty name', { url: URL_OF_PAGE, name: '' }, ['name required']],
    ['with a name of 65 characters', { url: URL_OF_PAGE, name: characters(65) }, ['name too_long']],
    ['with a line break in the name', { url: URL_OF_PAGE, name: 'a\nb' }, ['name invalid_name']],
    ['with a lone surrogate in the name', { url: URL_OF_PAGE, name: '\ud800' }, ['name invalid_name']],
    ['with properties of a pageview', { url: URL_OF_PAGE, props: {} }, ['props not_allowed']],
    ['with 11 properties', { name: 'n', url: URL_OF_PAGE, props: manyProps(11) }, ['props too_many']],
    [
      'with a property name of 41 characters',
      { name: 'n', url: URL_OF_PAGE, props: { [characters(41)]: 1 } },
      [`props.${'_'.repeat(41)} too_long`],
    ],
    [
      'with a property of 201 characters',
      { name: 'n', url: URL_OF_PAGE, props: { k: characters(201) } },
      ['props.k too_long'],
    ],
    ['with NUL in a property', { name: 'n', url: URL_OF_PAGE, props: { k: '\0' } }, ['props.k not_allowed']],
    ['with NUL in a property name', { name: 'n', url: URL_OF_PAGE, props: { '\0': 1 } }, ['props._ not_allowed']],
    [
      'with an infinite number',
      { name: 'n', url: URL_OF_PAGE, props: { k: Number.POSITIVE_INFINITY } },
      ['props.k not_allowed'],
    ],
  ])('%s', (_, input, faults) => {
    expect(faultsOf(input)).toEqual(faults);
  });

  test('of the name of a property, only letters, digits, _ and - are repeated', () => {
    const input = { name: 'n', url: URL_OF_PAGE, props: { 'Plan_2-x.<b>é': characters(201) } };

    expect(faultsOf(input)).toEqual(['props.Plan_2-x__b__ too_long']);
  });

  test('all errors are reported at once', () => {
    const input = { url: 'x', name: '', props: { k: '\0' } };

    expect(faultsOf(input)).toEqual(['url invalid_url', 'name required', 'props.k not_allowed']);
  });
});

test('reading what was read changes nothing', () => {
  const text = fc.string({ unit: 'binary', maxLength: 70 });
  const input = fc.record(
    {
      url: fc.oneof(fc.webUrl(), text),
      referrer: fc.oneof(fc.webUrl(), text),
      name: text,
      props: fc.dictionary(text, fc.oneof(text, fc.double(), fc.boolean())),
    },
    { requiredKeys: ['url'] },
  );

  fc.assert(
    fc.property(input, (sent) => {
      const first = read(sent);
      if ('faults' in first) return;
      const { url, referrer, name, props } = first.hit;
      const text = referrer && ('app' in referrer ? `android-app://${referrer.app}` : referrer.href);
      expect(read({ url: url.href, referrer: text, name, props })).toEqual(first);
    }),
  );
});

function manyProps(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
}
