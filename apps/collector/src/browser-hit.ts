import type { IncomingHttpHeaders } from 'node:http';
import type { Hit, HitMembers } from '@hitherto/domain';
import { readAddress } from '@hitherto/http';

/**
 * A browser's hit: address, user agent and language come from its connection and headers (statistics.md, section 2).
 *
 * @param address as the connection or the proxy writes it; `undefined` if the client has reset its connection
 */
export function browserHit(
  { url, referrer, name, props, automated }: HitMembers,
  address: string | undefined,
  headers: IncomingHttpHeaders,
  time: Date,
): Hit {
  // Every hit has the same members in the same order: objects of many shapes are slow to make and to read.
  return {
    url,
    referrer,
    name,
    props,
    automated,
    prefetch: isPrefetch(headers),
    ip: readAddress(address),
    userAgent: headers['user-agent'],
    language: headers['accept-language'],
    time,
    sender: 'browser',
  };
}

/** Whether the request is a prefetch or prerender (section 3). */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const { purpose, 'sec-purpose': secPurpose, 'x-moz': moz } = headers;
  if (secPurpose === undefined && purpose === undefined && moz === undefined) return false;
  return (
    /prefetch|prerender/i.test(String(secPurpose)) ||
    [purpose, moz].some((value) => /^\s*prefetch\s*$/i.test(String(value)))
  );
}
