import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf, endOfDay, formatWithOffset, startOfDay, timeZone } from '../../src/calendar/time-zone.ts';
import { dueWeek, isoWeekOf, lastFullWeek, readWeek, retryTime } from '../../src/reports/week.ts';

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

const dueAt = (zone: string, time: string) => dueWeek(timeZone(zone), new Date(time))?.name;

describe('dueWeek', () => {
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
    expect(dueAt(zone, time)).toBe(week);
  });

  it('is the previous week, from Monday 09:00 until Sunday ends, in every zone', () => {
    const times = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2040, 0) }).map((time) => new Date(time));
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), times, (zone, now) => {
        const [date = '', clock = ''] = formatWithOffset(zone, now).split('T');
        const thisWeek = isoWeekOf(dayOf(zone, now));
        const isBefore = date === thisWeek.from && clock < '09';

        const week = dueWeek(zone, now);

        expect(week === undefined).toBe(isBefore);
        expect(lastFullWeek(zone, now).to < thisWeek.from).toBe(true);
        if (week === undefined) return;
        expect(week).toEqual(lastFullWeek(zone, now));
        expect(endOfDay(zone, week.to).getTime()).toBe(startOfDay(zone, thisWeek.from).getTime());
      }),
      { numRuns: 500 },
    );
  });
});

describe('retryTime', () => {
  const week = readWeek('2026-W47');
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
