import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, dayOfNumber } from '../../src/calendar/days.ts';
import { previousPeriod, readReportPeriod, reportPeriodOf } from '../../src/reports/period.ts';

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
    expect(reportPeriodOf('weekly', day).name).toBe(name);
  });

  it('has seven days from Monday, including the given day, and is found by its name', () => {
    fc.assert(
      fc.property(days, (day) => {
        const week = reportPeriodOf('weekly', day);

        expect(new Date(week.from).getUTCDay()).toBe(1);
        expect(addDays(week.from, 6)).toBe(week.to);
        expect(week.from <= day && day <= week.to).toBe(true);
        expect(readReportPeriod(week.name)).toEqual(week);
      }),
    );
  });

  it('follows the previous week, in time and by name', () => {
    fc.assert(
      fc.property(days, (day) => {
        const week = reportPeriodOf('weekly', addDays(day, 7));
        const previous = previousPeriod(week);

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
    expect(readReportPeriod(text)).toBeUndefined();
  });
});

describe('a calendar month', () => {
  it.each([
    ['2026-11-01', '2026-11', '2026-11-01', '2026-11-30'],
    ['2026-12-31', '2026-12', '2026-12-01', '2026-12-31'],
    ['2028-02-29', '2028-02', '2028-02-01', '2028-02-29'],
    ['1970-01-01', '1970-01', '1970-01-01', '1970-01-31'],
  ])('of %s is %s', (day, name, from, to) => {
    expect(reportPeriodOf('monthly', day)).toEqual({ kind: 'monthly', name, from, to });
  });

  it('has the given day, is found by its name, and follows the previous month', () => {
    fc.assert(
      fc.property(
        days.filter((day) => day < '9999'),
        (day) => {
          const month = reportPeriodOf('monthly', day);

          expect(month.from <= day && day <= month.to).toBe(true);
          expect(readReportPeriod(month.name)).toEqual(month);
          expect(addDays(previousPeriod(month).to, 1)).toBe(month.from);
        },
      ),
    );
  });

  it.each(['2026-00', '2026-13', '1969-12', '9999-01', '2026-1', '2026-11-01'])('cannot be named %j', (text) => {
    expect(readReportPeriod(text)).toBeUndefined();
  });
});
