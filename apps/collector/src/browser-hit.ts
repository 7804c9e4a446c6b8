import type { Hit, HitMembers } from '@hitherto/domain';
import { readAddress } from '@hitherto/http';
import type { FastifyRequest } from 'fastify';

/** A browser's hit: address, user agent and language come from its connection and headers (statistics.md, section 2). */
export function browserHit(members: HitMembers, request: FastifyRequest, time: Date): Hit {
  const { headers } = request.raw;
  const hit: { -readonly [Member in keyof Hit]: Hit[Member] } = { ...members, time, sender: 'browser' };
  const ip = readAddress(request.ip);
  if (ip !== undefined) hit.ip = ip;
  if (headers['user-agent'] !== undefined) hit.userAgent = headers['user-agent'];
  if (headers['accept-language'] !== undefined) hit.language = headers['accept-language'];
  if (isPrefetch(headers)) hit.prefetch = true;
  return hit;
}

/** Whether the request is a prefetch or prerender (section 3). */
function isPrefetch(headers: FastifyRequest['raw']['headers']): boolean {
  const { purpose, 'sec-purpose': secPurpose, 'x-moz': moz } = headers;
  if (secPurpose === undefined && purpose === undefined && moz === undefined) return false;
  return (
    /prefetch|prerender/i.test(String(secPurpose)) ||
    [purpose, moz].some((value) => /^\s*prefetch\s*$/i.test(String(value)))
  );
}
