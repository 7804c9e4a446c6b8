import { describe, expect, test } from 'vitest';
import { contrastOf, MIN_CONTRAST, onDark, readColour } from '../../src/access/index.ts';

describe('an accent', () => {
  test.each([
    ['#2F5BEA', '#2f5bea'],
    ['#000000', '#000000'],
    ...['2f5bea', '#2f5', '#2f5beaff', '#2f5beg', 'blue', '', '#2f5bea;', ' #2f5bea'].map((text) => [text, undefined]),
  ])('%s is read as %s', (text, colour) => {
    expect(readColour(text ?? '')).toBe(colour);
  });

  test.each([
    ['#2f5bea', true],
    ['#000000', true],
    ['#0f7345', true],
    ['#777777', false],
    ['#ffff00', false],
    ['#ffffff', false],
    // Enough on white, not on its own tint and on notices.
    ['#747474', false],
  ])('%s is read on light pages: %s', (colour, isRead) => {
    expect(contrastOf(colour) >= MIN_CONTRAST).toBe(isRead);
  });

  test('names the contrast that a colour has', () => {
    expect(contrastOf('#ffff00')).toBeLessThan(1.1);
    expect(contrastOf('#000000')).toBeGreaterThan(16);
  });

  test('is on dark pages as it is where that is read, and lighter where it is not', () => {
    expect(onDark('#86a4ff')).toBe('#86a4ff');
    expect(onDark('#ffffff')).toBe('#ffffff');
    for (const dark of ['#000000', '#2f5bea', '#8b0000', '#0f7345']) expect(onDark(dark)).not.toBe(dark);
    expect(onDark('#000000')).toMatch(/^#(\w\w)\1\1$/);
  });
});
