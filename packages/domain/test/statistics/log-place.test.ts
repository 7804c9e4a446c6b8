import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLogCursor, IDENTIFYING_BYTES } from '../../src/imports/logs/log-place.ts';
import type { LogCheckpoint } from '../../src/imports/logs/logs.ts';

// imports.md, "Access logs": exactly once.

interface Line {
  readonly text: string;
  readonly time: Date;
}

/** A line of this second; its number makes it unique. */
const aLine = (second: number, number: number): Line => ({
  text: `${number} ${second} ${'x'.repeat(number % 90)}\n`,
  time: new Date(second * 1_000 + (number % 1_000)),
});

/**
 * Reads files from a checkpoint on, or only so many lines of them. Returns the lines that count, the next checkpoint, and how many
 * lines were missed.
 */
function read(files: readonly (readonly Line[])[], last: LogCheckpoint | undefined, most = Number.POSITIVE_INFINITY) {
  const bytes = files.map((lines) => Buffer.from(lines.map(({ text }) => text).join('')));
  const cursor = createLogCursor(
    last,
    bytes.map((all) => ({ beginning: all.subarray(0, IDENTIFYING_BYTES), size: all.length })),
  );
  const counted: Line[] = [];
  let earlier = 0;
  let lineCount = 0;
  for (const lines of files) {
    cursor.enter();
    let offset = 0;
    for (const line of lines) {
      if (lineCount >= most) return { counted, earlier, checkpoint: cursor.checkpoint(false) };
      lineCount += 1;
      offset += Buffer.byteLength(line.text);
      const place = cursor.judge(offset, line.time);
      if (place === 'new') counted.push(line);
      if (place === 'earlier') earlier += 1;
    }
  }
  return { counted, earlier, checkpoint: cursor.checkpoint(true) };
}

const A = aLine(100, 1);
const B = aLine(100, 2);
const C = aLine(101, 3);
const LATE = aLine(99, 4);
const D = aLine(102, 5);

describe('a log counts each line once', () => {
  test('when it is read again, and after lines were appended, late ones too', () => {
    const first = read([[A, B, C]], undefined);
    const again = read([[A, B, C]], first.checkpoint);
    const appended = read([[A, B, C, LATE, D]], again.checkpoint);

    expect(first.counted).toEqual([A, B, C]);
    expect(again.counted).toEqual([]);
    expect(again.checkpoint).toEqual(first.checkpoint);
    expect(appended.counted).toEqual([LATE, D]);
  });

  test('when it was renamed, and a new file has begun', () => {
    const { checkpoint } = read([[A, B]], undefined);

    expect(
      read(
        [
          [A, B, C],
          [LATE, D],
        ],
        checkpoint,
      ).counted,
    ).toEqual([C, LATE, D]);
  });

  test('when it was renamed twice, whatever lies before', () => {
    const { checkpoint } = read([[A], [B, C]], undefined);

    expect(read([[A], [B, C, LATE], [D]], checkpoint).counted).toEqual([LATE, D]);
    expect(read([[B, C], [D]], checkpoint).counted).toEqual([D]);
  });

  test('when only an older file is read', () => {
    const { checkpoint } = read(
      [
        [A, B],
        [C, D],
      ],
      undefined,
    );

    const older = read([[A, B]], checkpoint);

    expect([older.counted, older.earlier]).toEqual([[], 2]);
  });
});

describe('where the place is lost, the time decides', () => {
  test('lines of the last second count beyond those that were read', () => {
    const { checkpoint } = read([[A, B, C]], undefined);
    const other = aLine(101, 6);

    const lost = read([[C, other, D]], checkpoint);

    expect([lost.counted, lost.earlier]).toEqual([[other, D], 0]);
  });

  test('lines of earlier seconds are missed, and the result says how many', () => {
    const { checkpoint } = read([[A, B, C]], undefined);

    const truncated = read([[LATE, B, D]], checkpoint);

    expect([truncated.counted, truncated.earlier]).toEqual([[D], 2]);
  });

  test('as in a file that is shorter than what was read of it', () => {
    const { checkpoint } = read([[A, B, C, D]], undefined);

    expect(read([[A]], checkpoint)).toMatchObject({ counted: [], earlier: 1 });
    expect(read([[A, aLine(103, 7)]], checkpoint).counted).toHaveLength(1);
  });

  test('but a shorter copy does not change the place', () => {
    const whole = Array.from({ length: 60 }, (_, number) => aLine(100 + number, number));
    const { checkpoint } = read([whole], undefined);

    const copy = read([whole.slice(0, 50)], checkpoint);

    expect(copy).toMatchObject({ counted: [], earlier: 50, checkpoint });
    expect(read([[...whole, aLine(100, 60)]], copy.checkpoint).counted).toHaveLength(1);
  });
});

/** What happens to a log between two readings. */
const events = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('append' as const), ahead: fc.integer({ min: -3, max: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('killed' as const), ahead: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rotate' as const) }) },
  ),
  { maxLength: 80 },
);
const truncations = fc.record({ kind: fc.constant('truncate' as const) });

/** Plays events, and returns all lines and those that counted, in their order. */
function play(history: readonly { readonly kind: string; readonly ahead?: number }[]) {
  let files: Line[][] = [[]];
  const [written, counted]: [Line[], Line[]] = [[], []];
  let checkpoint: LogCheckpoint | undefined;
  let second = 1_000;
  for (const { kind, ahead = 0 } of [...history, { kind: 'read' }]) {
    if (kind === 'append') {
      second += Math.max(0, ahead);
      const line = aLine(second + Math.min(0, ahead), written.length);
      files.at(-1)?.push(line);
      written.push(line);
    } else if (kind === 'rotate') files = [...files, []].slice(-4);
    else if (kind === 'truncate') files = [...files.slice(0, -1), []];
    else {
      // A process that is killed has stored its lines and its place up to some line.
      const result = read(files, checkpoint, kind === 'killed' ? ahead : undefined);
      counted.push(...result.counted);
      checkpoint = result.checkpoint;
    }
  }
  return { written, counted };
}

test('whatever is appended, rotated, read again and killed, every line that can still be read counts once', () => {
  fc.assert(
    fc.property(events, (history) => {
      // A file that is deleted before it was read is gone.
      fc.pre(history.filter(({ kind }) => kind === 'rotate').length <= 3);

      const { written, counted } = play(history);

      expect(counted).toEqual(written);
    }),
    { numRuns: 500 },
  );
});

test('whatever is truncated besides, no line counts twice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 8, arbitrary: events }, fc.tuple(truncations)), { maxLength: 6 }),
      (parts) => {
        const { counted } = play(parts.flat());

        expect(new Set(counted).size).toBe(counted.length);
      },
    ),
    { numRuns: 500 },
  );
});
