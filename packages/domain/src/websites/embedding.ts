import { inWords } from '../base/errors.ts';
import { faultOfLine, type Line, readLines } from './lines.ts';
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
  const fault = { code: 'not_allowed', ...inWords((words) => words.faults.lines.everyOrigin) } as const;
  return { value, faults: [...faults, faultOfLine(number, fault)] };
}

/** An origin in normal form. A content security policy has no notation for IPv6 addresses. */
function readOrigin(line: string): Line {
  if (line === EVERY) return { entry: line };
  const read = readWebsiteUrl(line);
  if ('fault' in read) {
    return { fault: { code: 'invalid_url', ...inWords(({ faults }) => faults.lines.origin) } };
  }
  if (/^https?:\/\/\[/.test(read.url)) {
    return { fault: { code: 'invalid_url', ...inWords(({ faults }) => faults.lines.ipv6) } };
  }
  // Names with an underscore, a path, or "*" within the host.
  if (!/^https?:\/\/[a-z\d.-]+(?::\d+)?$/.test(read.url)) {
    return { fault: { code: 'invalid_url', ...inWords(({ faults }) => faults.lines.path) } };
  }
  return { entry: read.url };
}
