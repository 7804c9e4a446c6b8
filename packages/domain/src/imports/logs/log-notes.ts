import { isLocalAddress } from '../../base/ip-address.ts';
import { inEnglish, type StoredText, storedText } from '../../base/stored-text.ts';
import type { LogSummary } from './read-log.ts';

/** The pattern of the format that nginx calls `main`. */
const FORWARDED = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" "%{X-Forwarded-For}i"';

/** Sentences on logs as a whole, in English. */
export function notesOf({ addresses, unfinished }: Pick<LogSummary, 'addresses' | 'unfinished'>): string[] {
  const ends = [...unfinished].map((path) => `The last line of ${path} has no end yet. It counts once it has one.`);
  return [...ends, ...addressNotes(addresses).map(inEnglish)];
}

/** The notes on the addresses of all logs. */
export function addressNotes(addresses: LogSummary['addresses']): StoredText[] {
  const [address, ...others] = addresses;
  const isOfProxy = address !== undefined && others.length === 0 && isLocalAddress(address);
  return isOfProxy ? [storedText('proxy', address, FORWARDED)] : [];
}
