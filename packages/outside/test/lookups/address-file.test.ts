import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressFileFault, openAddressFile } from '../../src/lookups/address-file.ts';

const PACKAGE = '@ip-location-db/geo-whois-asn-country-mmdb';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hitherto-addresses-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a file of IPv4 addresses has no record of an IPv6 address', async () => {
  const file = createRequire(import.meta.url).resolve(`${PACKAGE}/geo-whois-asn-country-ipv4.mmdb`);

  const recordOf = await openAddressFile(file);

  expect(recordOf('193.0.6.139')).toEqual({ country_code: 'NL' });
  expect(recordOf('2a01:4f8::1')).toBeNull();
  expect(addressFileFault(file)).toBeUndefined();
});

test('a file that is missing is rejected, with its name', async () => {
  const file = join(folder, 'none.mmdb');

  await expect(openAddressFile(file)).rejects.toThrow(/^The address database .*none\.mmdb cannot be read: ENOENT/);
  expect(addressFileFault(file)).toBe('cannot be read');
});

test.each([
  ['another file', 'not a database'],
  ['an empty file', ''],
])('%s is rejected', async (_kind, content) => {
  const file = join(folder, 'other.mmdb');
  await writeFile(file, content);

  await expect(openAddressFile(file)).rejects.toThrow(/other\.mmdb is not a MaxMind DB file/);
  expect(addressFileFault(file)).toBe('is not a MaxMind DB file (.mmdb)');
});
