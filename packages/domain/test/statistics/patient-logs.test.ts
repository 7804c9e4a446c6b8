import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DomainError, unavailable } from '../../src/base/errors.ts';
import { RETRY_MS } from '../../src/base/outage.ts';
import type { LogBatch, LogCheckpoint, LogRepository } from '../../src/imports/logs/logs.ts';
import { patientLogs } from '../../src/imports/logs/read-log.ts';

// imports.md, "Access logs": `logs follow` waits for the service, and goes on when it is back.

const [WEBSITE, LOG] = ['01997c3e-0000-7000-8000-0000000000cc', '/var/log/é 🦊.log'];
const placeAt = (offset: number): LogCheckpoint => ({
  beginning: { bytes: 64, sha256: 'é' },
  offset,
  second: offset,
  linesOfSecond: 1,
});
const BATCH: LogBatch = {
  websiteId: WEBSITE,
  log: LOG,
  from: placeAt(1),
  to: placeAt(2),
  hits: [],
  dropped: [],
  crawled: [],
};

/** A database of one log, which is away until `back` is called. */
function aDatabase() {
  let isAway = true;
  let isResponseLost = false;
  const state = { stored: placeAt(1), additions: 0 };
  const respond = async <T>(work: () => T): Promise<T> => {
    if (isAway) throw unavailable('away');
    return work();
  };
  const logs: LogRepository = {
    checkpoint: () => respond(() => structuredClone(state.stored)),
    checkpoints: () => respond(() => new Map([['log', structuredClone(state.stored)]])),
    followedDays: async () => [],
    add: ({ from, to }) =>
      respond(() => {
        if (JSON.stringify(from) !== JSON.stringify(state.stored)) return false;
        state.stored = structuredClone(to);
        state.additions += 1;
        if (!isResponseLost) return true;
        isResponseLost = false;
        throw unavailable('The connection ended.');
      }),
  };
  return {
    logs: patientLogs(logs),
    state,
    back: () => {
      isAway = false;
    },
    loseResponse: () => {
      isResponseLost = true;
    },
  };
}

describe('a log that is followed while the database is away', () => {
  test('waits, and goes on once the database is back', async () => {
    const { logs, state, back } = aDatabase();
    const outcomes: unknown[] = [];
    const reading = logs.checkpoint(WEBSITE, LOG).then((place) => outcomes.push(place));
    await sleep(2 * RETRY_MS);
    expect(outcomes).toEqual([]);
    back();
    await reading;
    expect(outcomes).toEqual([placeAt(1)]);

    expect(await logs.add(BATCH)).toBe(true);
    expect(state).toEqual({ stored: placeAt(2), additions: 1 });
  });

  test('adds its lines once, though many attempts failed', async () => {
    const { logs, state, back } = aDatabase();
    const adding = logs.add(BATCH);
    await sleep(2 * RETRY_MS);
    back();

    expect(await adding).toBe(true);
    expect(state).toEqual({ stored: placeAt(2), additions: 1 });
  });

  test('gives up an attempt after a minute', async () => {
    // Advances the clock only: attempts are repeated in real time.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { logs } = aDatabase();
    const codes: string[] = [];
    const failing = logs.add(BATCH).catch(({ code }: DomainError) => codes.push(code));

    vi.advanceTimersByTime(59_000);
    await sleep(2 * RETRY_MS);
    expect(codes).toEqual([]);
    vi.advanceTimersByTime(1_000);
    await failing;

    expect(codes).toEqual(['unavailable']);
  });
});

test('lines that the database stored without a response are added once', async () => {
  const { logs, state, back, loseResponse } = aDatabase();
  back();
  loseResponse();

  expect(await logs.add(BATCH)).toBe(true);
  expect(state).toEqual({ stored: placeAt(2), additions: 1 });
});

test('lines that another process has added are not taken for its own', async () => {
  const { logs, state, back } = aDatabase();
  back();
  state.stored = placeAt(7);

  expect(await logs.add(BATCH)).toBe(false);
});
