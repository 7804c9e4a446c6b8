import { isLocalAddress } from '../../base/ip-address.ts';
import type { LogSummary } from './read-log.ts';

/** The pattern of the format that nginx calls `main`. */
const FORWARDED = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" "%{X-Forwarded-For}i"';

/** Sentences on logs as a whole. */
export function notesOf({ addresses, unfinished }: Pick<LogSummary, 'addresses' | 'unfinished'>): string[] {
  const notes = [...unfinished].map((path) => `The last line of ${path} has no end yet. It counts once it has one.`);
  const [address, ...others] = addresses;
  if (address !== undefined && others.length === 0 && isLocalAddress(address)) {
    notes.push(
      `All pageviews have the address ${address}, probably that of a proxy, so they count as few visitors. If the lines have the header X-Forwarded-For, name its place with "logs import --format", such as '${FORWARDED}'.`,
    );
  }
  return notes;
}
