import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, dayOfNumber } from '../../src/calendar/days.ts';
import { isoWeekOf, previousWeek, readWeek } from '../../src/reports/week.ts';

/** From 1970-01-05, a Monday, to 9998-12-31. */
const days = fc.integer({ min: 4, max: 2_932_532 }).map(dayOfNumber);

describe('an ISO week', () => {
  it.each([
    ['2026-11-16', '2026-W47'],
    ['2026-11-22', '2026-W47'],
    ['2026-11-23', '2026-W48'],
    ['2026-12-31', '2026-W53'],
    ['2027-01-03', '2026-W53'],
    ['2027-01-04', '2027-W01'],
    ['2020-12-31', '2020-W53'],
    ['2021-01-03', '2020-W53'],
    ['2019-12-30', '2020-W01'],
    ['2024-12-29', '2024-W52'],
    ['2024-12-30', '2025-W01'],
    ['2000-01-01', '1999-W52'],
    ['1970-01-05', '1970-W02'],
  ])('of %s is %s', (day, name) => {
    expect(isoWeekOf(day).name).toBe(name);
  });

  it('has seven days from Monday, including the given day, and is found by its name', () => {
    fc.assert(
      fc.property(days, (day) => {
        const week = isoWeekOf(day);

        expect(new Date(week.from).getUTCDay()).toBe(1);
        expect(addDays(week.from, 6)).toBe(week.to);
        expect(week.from <= day && day <= week.to).toBe(true);
        expect(readWeek(week.name)).toEqual(week);
      }),
    );
  });

  it('follows the previous week, in time and by name', () => {
    fc.assert(
      fc.property(days, (day) => {
        const week = isoWeekOf(addDays(day, 7));
        const previous = previousWeek(week);

        expect(addDays(previous.to, 1)).toBe(week.from);
        expect(previous.name < week.name).toBe(true);
      }),
    );
  });

  it.each([
    '2025-W53',
    '2026-W54',
    '2026-W00',
    '2026-W1',
    '2026-w01',
    '2026W01',
    ' 2026-W01',
    '1969-W52',
    '9999-W01',
    '',
    'x',
  ])('cannot be named %j', (text) => {
    expect(readWeek(text)).toBeUndefined();
  });
});
