import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/calendar/days.ts';
import { dayOf, endOfDay, formatWithOffset, startOfDay, timeZone } from '../../src/calendar/time-zone.ts';
import { duePeriod, lastFullPeriod, readReportPeriod, reportPeriodOf, retryTime } from '../../src/reports/period.ts';
import { REPORT_KINDS } from '../../src/websites/settings.ts';

/** Offsets from −11 to +14, fractions of hours, and zones that skip midnight when their clocks change. */
const ZONES = [
  'Pacific/Pago_Pago',
  'America/St_Johns',
  'America/New_York',
  'America/Santiago',
  'America/Havana',
  'America/Asuncion',
  'UTC',
  'Europe/Berlin',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
].map(timeZone);

const dueAt = (kind: 'weekly' | 'monthly', zone: string, time: string) =>
  duePeriod(kind, timeZone(zone), new Date(time))?.name;

describe('the week that is due', () => {
  it.each([
    ['UTC', '2026-11-23T08:59:59.999Z', undefined],
    ['UTC', '2026-11-23T09:00:00.000Z', '2026-W47'],
    ['UTC', '2026-11-29T23:59:59.999Z', '2026-W47'],
    ['UTC', '2026-11-30T00:00:00.000Z', undefined],
    ['UTC', '2026-11-30T09:00:00.000Z', '2026-W48'],
    ['UTC', '2027-01-04T09:00:00.000Z', '2026-W53'],
    ['Pacific/Kiritimati', '2026-11-22T18:59:59.999Z', undefined],
    ['Pacific/Kiritimati', '2026-11-22T19:00:00.000Z', '2026-W47'],
    ['Pacific/Pago_Pago', '2026-11-23T19:59:59.999Z', undefined],
    ['Pacific/Pago_Pago', '2026-11-23T20:00:00.000Z', '2026-W47'],
    ['Asia/Kathmandu', '2026-11-23T03:15:00.000Z', '2026-W47'],
    // The clocks changed the day before, in spring and in autumn.
    ['Europe/Berlin', '2026-03-30T06:59:59.999Z', undefined],
    ['Europe/Berlin', '2026-03-30T07:00:00.000Z', '2026-W13'],
    ['Europe/Berlin', '2026-10-26T07:59:59.999Z', undefined],
    ['Europe/Berlin', '2026-10-26T08:00:00.000Z', '2026-W43'],
    ['America/New_York', '2026-03-09T13:00:00.000Z', '2026-W10'],
    ['America/New_York', '2026-11-02T14:00:00.000Z', '2026-W44'],
    // In Santiago, Sunday 2026-09-06 began at 01:00.
    ['America/Santiago', '2026-09-07T11:59:59.999Z', undefined],
    ['America/Santiago', '2026-09-07T12:00:00.000Z', '2026-W36'],
  ])('in %s at %s is %s', (zone, time, week) => {
    expect(dueAt('weekly', zone, time)).toBe(week);
  });

  it('is the previous week or month, from 09:00 of its next day and for seven days, in every zone', () => {
    const times = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2040, 0) }).map((time) => new Date(time));
    fc.assert(
      fc.property(fc.constantFrom(...REPORT_KINDS), fc.constantFrom(...ZONES), times, (kind, zone, now) => {
        const [today = '', clock = ''] = formatWithOffset(zone, now).split('T');
        const current = reportPeriodOf(kind, dayOf(zone, now));
        const isBefore = today === current.from && clock < '09';
        const isAfter = today >= addDays(current.from, 7);

        const period = duePeriod(kind, zone, now);

        expect(period === undefined).toBe(isBefore || isAfter);
        expect(lastFullPeriod(kind, zone, now).to < current.from).toBe(true);
        if (period === undefined) return;
        expect(period).toEqual(lastFullPeriod(kind, zone, now));
        expect(endOfDay(zone, period.to).getTime()).toBe(startOfDay(zone, current.from).getTime());
      }),
      { numRuns: 500 },
    );
  });
});

describe('the month that is due', () => {
  it.each([
    ['UTC', '2026-12-01T08:59:59.999Z', undefined],
    ['UTC', '2026-12-01T09:00:00.000Z', '2026-11'],
    ['UTC', '2026-12-07T23:59:59.999Z', '2026-11'],
    ['UTC', '2026-12-08T00:00:00.000Z', undefined],
    ['UTC', '2027-01-01T09:00:00.000Z', '2026-12'],
    ['UTC', '2028-03-01T09:00:00.000Z', '2028-02'],
    ['Pacific/Kiritimati', '2026-11-30T18:59:59.999Z', undefined],
    ['Pacific/Kiritimati', '2026-11-30T19:00:00.000Z', '2026-11'],
    ['Pacific/Pago_Pago', '2026-12-01T20:00:00.000Z', '2026-11'],
  ])('in %s at %s is %s', (zone, time, month) => {
    expect(dueAt('monthly', zone, time)).toBe(month);
  });
});

describe('retryTime', () => {
  const week = readReportPeriod('2026-W47');
  if (week === undefined) throw new Error('There is such a week.');
  const minutesAfter = (failures: number, now: string, zone = 'UTC') => {
    const time = retryTime(timeZone(zone), week, failures, new Date(now));
    return time && (time.getTime() - Date.parse(now)) / 60_000;
  };

  it('is after 1, 5 and 30 minutes and 2, 6 and 12 hours, and then never', () => {
    const times = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => minutesAfter(failures, '2026-11-23T09:00:00.000Z'));

    expect(times).toEqual([1, 5, 30, 120, 360, 720, undefined, undefined]);
  });

  it('is never after the Sunday that follows the week', () => {
    expect(minutesAfter(1, '2026-11-29T23:58:59.999Z')).toBe(1);
    expect(minutesAfter(1, '2026-11-29T23:59:00.000Z')).toBeUndefined();
    expect(minutesAfter(1, '2026-11-29T22:59:00.000Z', 'Europe/Berlin')).toBeUndefined();
  });
});
