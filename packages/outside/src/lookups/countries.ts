import { createRequire } from 'node:module';
import type { HitLookups } from '@hitherto/domain/hits';
import { type FindRecord, memberOf, openAddressFile } from './address-file.ts';

const DEFAULT_FILE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

/** Codes that look like ISO 3166-1 but are not countries. */
const NO_COUNTRIES = new Set(['AP', 'EU', 'XX', 'ZZ']);

/** Finds the country of an address in the file that ships with this package. */
export async function openCountries(): Promise<HitLookups['countryOf']> {
  return countriesIn([await openAddressFile(createRequire(import.meta.url).resolve(DEFAULT_FILE))]);
}

/** Finds the country of an address in the first of these files that has it. */
export function countriesIn(files: readonly FindRecord[]): HitLookups['countryOf'] {
  return (ip) => {
    for (const recordOf of files) {
      const country = countryIn(recordOf(ip));
      if (country !== null) return country;
    }
    return null;
  };
}

/** The country in a record, as the makers of such files write it: `country_code`, `country.iso_code` or `country`. */
export function countryIn(record: unknown): string | null {
  const country = memberOf(record, 'country');
  const code = memberOf(record, 'country_code') ?? memberOf(country, 'iso_code') ?? country;
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) && !NO_COUNTRIES.has(code) ? code : null;
}
