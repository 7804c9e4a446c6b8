import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type { HitLookups } from '@hitherto/domain/hits';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'maxmind';

const DEFAULT_FILE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

/** An IPv4 address in an IPv6 one, which country files do not list. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** Codes that look like ISO 3166-1 but are not countries. */
const NO_COUNTRIES = new Set(['AP', 'EU', 'XX', 'ZZ']);

/** The number of decoded records that are cached, by their place in the file: a file of countries has some 250. */
const MAX_RECORDS = 1_000;

/** Finds the country of an address in a MaxMind DB file; rejects with a readable message if the file is not one. */
export async function openCountries(file?: string): Promise<HitLookups['countryOf']> {
  const path = file ?? createRequire(import.meta.url).resolve(DEFAULT_FILE);
  const reader = openReader(
    await readFile(path).catch((error: unknown) => reject(path, 'cannot be read', error)),
    path,
  );

  return (text) => {
    const ip = text.replace(MAPPED, '');
    const version = isIP(ip);
    // An IPv4-only file would read the first 32 bits of an IPv6 address as an IPv4 address.
    if (version === 0 || version > reader.metadata.ipVersion) return null;
    return countryIn(reader.get(ip));
  };
}

/** Why a file cannot be used as a country database, or `undefined` where it can. */
export function countryFileFault(file: string): string | undefined {
  try {
    new Reader(readFileSync(file));
    return undefined;
  } catch (error) {
    const isUnread = error instanceof Error && 'syscall' in error;
    return isUnread ? 'cannot be read' : 'is not a MaxMind DB file (.mmdb)';
  }
}

function openReader(content: Buffer, path: string): Reader<Response> {
  try {
    return new Reader(content, { cache: new LRUCache<string | number, object>({ max: MAX_RECORDS }) });
  } catch (error) {
    return reject(path, 'is not a MaxMind DB file (.mmdb)', error);
  }
}

function reject(path: string, reason: string, cause: unknown): never {
  const detail = cause instanceof Error ? `: ${cause.message}` : '';
  throw new Error(`The country database ${path} ${reason}${detail}`, { cause });
}

/** The country in a record, as the makers of such files write it: `country_code`, `country.iso_code` or `country`. */
export function countryIn(record: unknown): string | null {
  const country = memberOf(record, 'country');
  const code = memberOf(record, 'country_code') ?? memberOf(country, 'iso_code') ?? country;
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) && !NO_COUNTRIES.has(code) ? code : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
