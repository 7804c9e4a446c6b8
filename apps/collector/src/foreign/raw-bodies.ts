import { HttpProblem } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the bodies of a scope as text, whatever their type says: other products send JSON as forms and forms as text.
 *
 * @param bodyLimit the most bytes of a body
 */
export function readRawBodies(scope: FastifyInstance, bodyLimit: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
    if (request.headers['content-encoding'] !== undefined) done(new HttpProblem('unsupported_media_type'));
    else {
      try {
        done(null, utf8.decode(Buffer.from(body)));
      } catch {
        done(new HttpProblem('bad_request', 'The body is not valid UTF-8.'));
      }
    }
  });
  scope.addHook('preValidation', (request, _reply, done) => {
    request.body ??= '';
    done();
  });
}

/** The JSON in a body. Throws `bad_request`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem('bad_request', 'The body is not valid JSON in UTF-8.');
  }
}

/** The fields of an object; none of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A string or a number as a string; `undefined` for anything else, and for the empty string. */
export function stringOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The time of a number of seconds since 1970, in RFC 3339; any other value is unchanged, and rejected later. */
export function timeOf(seconds: string | undefined): string | undefined {
  if (seconds === undefined || !/^\d{1,11}(\.\d+)?$/.test(seconds)) return seconds;
  return new Date(Number(seconds) * 1_000).toISOString();
}
