import type { HitLookups } from '@hitherto/domain/hits';
import { beforeAll, describe, expect, test } from 'vitest';
import { countriesIn, countryIn, openCountries } from '../../src/lookups/countries.ts';

describe('the country of an address', () => {
  let countryOf: HitLookups['countryOf'];
  beforeAll(async () => {
    countryOf = await openCountries();
  });

  test.each([
    ['IPv4', '8.8.8.8', 'US'],
    ['IPv4 of another country', '193.0.6.139', 'NL'],
    ['IPv6', '2a01:4f8::1', 'DE'],
    ['IPv4 within IPv6', '::ffff:8.8.8.8', 'US'],
    ['a loopback address', '127.0.0.1', null],
    ['a private address', '10.1.2.3', null],
    ['a link-local address with its zone', 'fe80::1%eth0', null],
    ['an address with a port', '8.8.8.8:443', null],
    ['any other text', 'bogus', null],
    ['no text', '', null],
  ])('%s: %s', (_kind, ip, country) => {
    expect(countryOf(ip)).toBe(country);
  });
});

test('the first file that knows the country of an address decides', () => {
  const countryOf = countriesIn([(ip) => (ip === '192.0.2.1' ? { country: 'DE' } : null), () => ({ country: 'FR' })]);

  expect(countryOf('192.0.2.1')).toBe('DE');
  expect(countryOf('192.0.2.2')).toBe('FR');
});

describe('a record of a country file', () => {
  test.each([
    ['of the file that ships', { country_code: 'DE' }, 'DE'],
    [
      'as MaxMind writes it',
      { country: { iso_code: 'DE', names: { en: 'Germany' } }, continent: { code: 'EU' } },
      'DE',
    ],
    ['with the code alone', { country: 'DE', continent: 'EU' }, 'DE'],
    ['with a name', { country: 'Germany' }, null],
    ['of a continent', { country_code: 'EU' }, null],
    ['of another kind', { autonomous_system_number: 3333 }, null],
    ['that is missing', null, null],
  ])('%s', (_kind, record, country) => {
    expect(countryIn(record)).toBe(country);
  });
});
