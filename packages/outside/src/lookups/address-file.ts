import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'maxmind';

/** The record of an address in a MaxMind DB file, or `null`. Any string is accepted. */
export type FindRecord = (ip: string) => unknown;

/** An IPv4 address in an IPv6 one, which such files do not list. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** The number of decoded records that are cached, by their place in the file: a file of countries has some 250. */
const MAX_RECORDS = 1_000;

/** Opens a MaxMind DB file; rejects with a readable message if it is not one. */
export async function openAddressFile(path: string): Promise<FindRecord> {
  const reader = openReader(
    await readFile(path).catch((error: unknown) => reject(path, 'cannot be read', error)),
    path,
  );

  return (text) => {
    const ip = text.replace(MAPPED, '');
    const version = isIP(ip);
    // An IPv4-only file would read the first 32 bits of an IPv6 address as an IPv4 address.
    return version === 0 || version > reader.metadata.ipVersion ? null : reader.get(ip);
  };
}

/** Why a file cannot be used, or `undefined` where it can. */
export function addressFileFault(file: string): string | undefined {
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
  throw new Error(`The address database ${path} ${reason}${detail}`, { cause });
}

/** A member of a record. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
