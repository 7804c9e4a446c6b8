import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HitLookups } from '@hitherto/domain/hits';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countryIn, openCountries } from '../../src/lookups/countries.ts';

const PACKAGE = '@ip-location-db/geo-whois-asn-country-mmdb';

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

describe('a custom country file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hitherto-countries-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('replaces the default one', async () => {
    const file = createRequire(import.meta.url).resolve(`${PACKAGE}/geo-whois-asn-country-ipv4.mmdb`);

    const countryOf = await openCountries(file);

    expect(countryOf('193.0.6.139')).toBe('NL');
    expect(countryOf('2a01:4f8::1')).toBeNull();
  });

  test('that is missing is rejected, with its name', async () => {
    await expect(openCountries(join(folder, 'none.mmdb'))).rejects.toThrow(
      /^The country database .*none\.mmdb cannot be read: ENOENT/,
    );
  });

  test.each([
    ['another file', 'not a database'],
    ['an empty file', ''],
  ])('that is %s is rejected', async (_kind, content) => {
    const file = join(folder, 'other.mmdb');
    await writeFile(file, content);

    await expect(openCountries(file)).rejects.toThrow(/other\.mmdb is not a MaxMind DB file/);
  });
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
