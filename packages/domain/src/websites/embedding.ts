import type { Fault } from '../base/errors.ts';
import { type Line, readLines } from './lines.ts';
import { readWebsiteUrl } from './website-url.ts';

/** The most origins that may embed a website's statistics: they are in a header of each page. */
export const MAX_EMBED_ORIGINS = 20;

/** The most bytes of an origin: scheme, host and port. */
export const MAX_ORIGIN_BYTES = 8 + 253 + 6;

/** Stands for every origin. */
const EVERY = '*';

/** The origins that may embed a website's statistics (sharing.md, "Embedding"): exact ones, or a lone `*`. */
export function readEmbedOrigins(lines: readonly string[]): ReturnType<typeof readLines> {
  const { value, faults } = readLines(lines, readOrigin, MAX_EMBED_ORIGINS);
  if (value.length < 2 || !value.includes(EVERY)) return { value, faults };
  const number = lines.findIndex((line) => line.trim() === EVERY) + 1;
  const fault: Omit<Fault, 'field'> = {
    line: number,
    code: 'not_allowed',
    detail: `Line ${number} is "*", which stands for every origin, so it must be the only line.`,
  };
  return { value, faults: [...faults, fault] };
}

/** An origin in normal form. A content security policy has no notation for IPv6 addresses. */
function readOrigin(line: string): Line {
  if (line === EVERY) return { entry: line };
  const read = readWebsiteUrl(line);
  if ('fault' in read) {
    const detail =
      'is not an origin: an http or https scheme, a host and, where needed, a port, such as https://example.com.';
    return { fault: { code: 'invalid_url', detail } };
  }
  if (/^https?:\/\/\[/.test(read.url)) {
    return { fault: { code: 'invalid_url', detail: 'is an IPv6 address, which browsers do not accept here.' } };
  }
  // Names with an underscore, a path, or "*" within the host.
  if (!/^https?:\/\/[a-z\d.-]+(?::\d+)?$/.test(read.url)) {
    const detail = 'must end after the host or the port: an origin has no path, and no wildcards or underscores.';
    return { fault: { code: 'invalid_url', detail } };
  }
  return { entry: read.url };
}
