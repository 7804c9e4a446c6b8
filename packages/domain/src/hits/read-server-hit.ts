import { type Fault, inWords } from '../base/errors.ts';
import { normalizeClientAddress } from '../base/ip-address.ts';
import { readTime } from '../calendar/read-time.ts';
import { type HitInput, type ReadHit, readHit } from './read-hit.ts';

const MAX_VISITOR_LENGTH = 128;
/** As much as fits into the headers of a browser. */
const MAX_HEADER_LENGTH = 16_384;
const MAX_AGE_MS = 24 * 3_600_000;
const MAX_AHEAD_MS = 5 * 60_000;

/** Checks a server's hit (tracker.md); `now` is the default of its time. */
export function readServerHit(input: HitInput, now: Date): ReadHit {
  const { userAgent, language, visitor } = input;
  const ip = input.ip === undefined ? undefined : normalizeClientAddress(input.ip);
  const time = input.time === undefined ? now : readTime(input.time);
  const read = readHit(input, { sender: 'server', ip, userAgent, language, visitor, time: time ?? now });
  const faults: Fault[] = 'faults' in read ? [...read.faults] : [];
  if (input.ip === undefined && visitor === undefined) {
    faults.push({
      field: 'ip',
      code: 'required',
      ...inWords((words) => words.faults.hits.noIp, 'One of "ip" and "visitor" is required.'),
    });
  }
  if (input.ip !== undefined && ip === undefined) {
    faults.push({ field: 'ip', code: 'invalid_ip', ...inWords((words) => words.faults.hits.ip) });
  }
  if (visitor !== undefined) faults.push(...visitorFaults(visitor));
  for (const [field, text] of [
    ['userAgent', userAgent],
    ['language', language],
  ] as const) {
    if (text === undefined || text.length <= MAX_HEADER_LENGTH) continue;
    faults.push({
      field,
      code: 'too_long',
      ...inWords(
        (words) => words.faults.atMost(MAX_HEADER_LENGTH),
        `This must have at most ${MAX_HEADER_LENGTH} characters.`,
      ),
    });
  }
  if (time === undefined) {
    faults.push({
      field: 'time',
      code: 'not_allowed',
      detail: 'A time must be written as in RFC 3339, such as 2026-11-20T12:00:00Z.',
    });
  } else if (time.getTime() < now.getTime() - MAX_AGE_MS || time.getTime() > now.getTime() + MAX_AHEAD_MS) {
    const detail = 'The time of a hit must be at most 24 hours ago and at most 5 minutes ahead.';
    faults.push({ field: 'time', code: 'not_allowed', detail });
  }
  return faults.length > 0 ? { faults } : read;
}

function visitorFaults(visitor: string): Fault[] {
  const length = [...visitor].length;
  if (length === 0 || length > MAX_VISITOR_LENGTH) {
    const code = length === 0 ? 'required' : 'too_long';
    return [{ field: 'visitor', code, detail: `A visitor must have 1 to ${MAX_VISITOR_LENGTH} characters.` }];
  }
  if (!/[\0\p{Cs}]/u.test(visitor)) return [];
  return [{ field: 'visitor', code: 'not_allowed', detail: 'A visitor must not contain a NUL or a lone surrogate.' }];
}
