import { describe, expect, it } from 'vitest';
import { aWebsite } from '../../../testing/src/fixtures.ts';
import { timeZone } from '../../src/calendar/time-zone.ts';
import { compileSettings } from '../../src/hits/count-hit.ts';
import { shortenedRequest } from '../../src/imports/logs/judge-request.ts';
import type { LogLine } from '../../src/imports/logs/log-files.ts';
import { type LogRequest, NO_REQUEST } from '../../src/imports/logs/log-request.ts';
import type { LogBatch, LogCheckpoint } from '../../src/imports/logs/logs.ts';
import { newLogSummary, readLog } from '../../src/imports/logs/read-log.ts';
import { lookups } from './lookups.ts';

// The process that reads a file of a log sends little of requests that no website counts.

const NOW = new Date('2026-11-20T12:00:00Z');
const website = aWebsite();
const settings = compileSettings(website, timeZone('UTC'));

function requestAt(second: number, request: Partial<LogRequest>): LogRequest {
  const time = new Date(NOW.getTime() + second * 1_000);
  return { time, method: 'GET', target: '/é', status: 200, ip: '198.51.100.7', userAgent: 'Mozilla/5.0', ...request };
}

/** One line of each kind, three times. */
const LINES: readonly LogLine[] = [-9, -8, -7]
  .flatMap(
    (second) =>
      [
        undefined,
        NO_REQUEST,
        requestAt(second, {}),
        requestAt(second, { method: 'POST' }),
        requestAt(second, { target: '/a.css' }),
        requestAt(second, { status: 302 }),
        requestAt(second, { status: 404 }),
        requestAt(second, { status: 404, userAgent: 'Googlebot' }),
        requestAt(second, { host: 'other.example' }),
        requestAt(second, { host: 'other.example', target: '/a.css' }),
        requestAt(second + 3_600, { target: '/a.css' }),
      ] as const,
  )
  .map((read, at) => ({ text: '', end: at + 1, read }));

/** The summary of reading lines from a place on, and what is stored. */
async function resultOf(lines: readonly LogLine[], checkpoint?: LogCheckpoint) {
  const summary = newLogSummary();
  const unknown = newLogSummary();
  const stored: LogBatch[] = [];
  const file = {
    path: '',
    beginning: Buffer.from('é'),
    size: undefined,
    lines: async function* () {
      yield lines;
    },
    share: () => 1,
    isUnfinished: () => false,
  };
  const logs = {
    checkpoint: async () => checkpoint,
    checkpoints: async () => new Map(),
    add: async (batch: LogBatch) => stored.push(batch) > 0,
  };
  await readLog(
    {
      lookups,
      visitors: { of: () => 1n },
      find: (host) =>
        host === 'other.example' ? undefined : { url: website.url, settings, summary, leaveOut: () => undefined, logs },
      summary: unknown,
      now: () => NOW,
      randomBytes: (size) => new Uint8Array(size),
    },
    { name: 'log', from: undefined, files: [file] },
    new AbortController().signal,
  );
  return { summary, unknown, stored };
}

describe('Requests of a log that were shortened', () => {
  const short = LINES.map(({ read, ...line }) => ({
    ...line,
    read: read === undefined || read === NO_REQUEST ? read : shortenedRequest(read),
  }));
  const beginning = { bytes: 1, sha256: 'of another file' };

  it.each([
    ['from the beginning on', undefined],
    ['whose place is lost', { beginning, offset: 5, second: NOW.getTime() / 1_000 - 8, linesOfSecond: 4 }],
  ])('count as before, in a log %s', async (_, checkpoint) => {
    const found = await resultOf(short, checkpoint);

    expect(found).toStrictEqual(await resultOf(LINES, checkpoint));
    expect(found.summary.left.get('static_file')?.lines).toBeGreaterThan(0);
    expect(found.stored[0]?.crawled).not.toEqual([]);
  });
});
