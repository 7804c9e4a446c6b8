import { expect, it } from 'vitest';
import { storedText } from '../../src/base/stored-text.ts';
import { createDayJudge } from '../../src/imports/judge-row.ts';
import { createRowReader } from '../../src/imports/read-rows.ts';
import { createSumReader } from '../../src/imports/read-sums.ts';
import { lookups } from './lookups.ts';

/** Pieces of a file without a row, such as blank lines. */
async function* blank(): AsyncGenerator<readonly never[]> {
  for (let piece = 0; piece < 1_000_000; piece += 1) yield [];
}

it.each([
  [
    'hits',
    (signal: AbortSignal) =>
      createRowReader(
        { format: 'hitherto', rows: blank, share: () => 0 },
        {
          judge: () => ({ hit: undefined, reason: 'faulty', text: storedText('noHit') }),
          keepGoing: false,
          signal,
          onHits: async () => {},
        },
      ),
  ],
  [
    'sums',
    (signal: AbortSignal) =>
      createSumReader(
        { format: 'plausible', dimensions: [], sumRows: blank, share: () => 0 },
        {
          judge: createDayJudge({ until: undefined, collectedFrom: undefined, covered: [] }),
          keepGoing: false,
          signal,
          lookups,
          now: new Date('2026-11-20T12:00:00Z'),
          onSums: async () => {},
        },
      ),
  ],
])('a file of %s that goes on without a row can be aborted', async (_, readerOf) => {
  const stop = new AbortController();
  setImmediate(() => stop.abort(new Error('stopped')));

  await expect(readerOf(stop.signal).read()).rejects.toThrow('stopped');
});
