import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { writeFormatted } from '../src/formatted.ts';
import { root } from '../src/machine.ts';

const kept = mkdtempSync(`${root}packages/testing/test/kept-`);
// Git ignores the folder of reports, and so does the formatter.
const ignored = `${root}packages/testing/reports/written.json`;

afterAll(() => {
  rmSync(kept, { recursive: true });
  rmSync(ignored, { force: true });
});

describe('a file that is written', () => {
  test('is as the formatter leaves it', () => {
    writeFormatted(`${kept}/written.json`, '{"a":\n1}');

    expect(readFileSync(`${kept}/written.json`, 'utf8')).toBe('{ "a": 1 }\n');
  });

  test('is unchanged if the formatter ignores it', () => {
    mkdirSync(dirname(ignored), { recursive: true });
    writeFormatted(ignored, '{"a":\n1}');

    expect(readFileSync(ignored, 'utf8')).toBe('{"a":\n1}');
  });
});
