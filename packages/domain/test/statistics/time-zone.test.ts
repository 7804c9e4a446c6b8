import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/calendar/days.ts';
import {
  dayOf,
  endOfDay,
  formatWithOffset,
  hoursOf,
  lastDayOnEarth,
  startOfDay,
  startOfHour,
  timeZone,
} from '../../src/calendar/time-zone.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Africa/Cairo'];
const EDGES = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Australia/Lord_Howe', 'America/Nuuk', 'America/St_Johns'];

test('the last day that can be written has an end', () => {
  expect(endOfDay(timeZone('Europe/Berlin'), '9999-12-31').toISOString()).toBe('9999-12-31T23:00:00.000Z');
  expect(endOfDay(timeZone('UTC'), '9999-12-31').toISOString()).toBe('+010000-01-01T00:00:00.000Z');
});

describe('dayOf', () => {
  test.each([
    ['UTC', '2026-11-20T23:59:59.999Z', '2026-11-20'],
    ['UTC', '2026-11-21T00:00:00.000Z', '2026-11-21'],
    ['Europe/Berlin', '2026-11-20T22:59:59.999Z', '2026-11-20'],
    ['Europe/Berlin', '2026-11-20T23:00:00.000Z', '2026-11-21'],
    ['Europe/Berlin', '2026-06-20T22:00:00.000Z', '2026-06-21'],
    ['America/New_York', '2026-01-01T04:59:59.999Z', '2025-12-31'],
    ['Pacific/Kiritimati', '2026-11-20T10:00:00.000Z', '2026-11-21'],
    ['Pacific/Pago_Pago', '2026-11-20T10:59:59.999Z', '2026-11-19'],
    ['Asia/Kathmandu', '2026-11-20T18:15:00.000Z', '2026-11-21'],
    // Clocks went back to 23:01 of the day before, a minute after midnight.
    ['America/St_Johns', '2010-11-07T02:30:59.999Z', '2010-11-07'],
    ['America/St_Johns', '2010-11-07T02:31:00.000Z', '2010-11-06'],
    ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29'],
    ['Pacific/Apia', '2011-12-30T10:00:00.000Z', '2011-12-31'],
  ])('in %s the day of %s is %s', (zone, time, day) => {
    expect(dayOf(timeZone(zone), new Date(time))).toBe(day);
  });
});

describe('timeZone', () => {
  test.each([
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['europe/berlin', 'Europe/Berlin'],
    ['utc', 'UTC'],
  ])('is named as given, in the usual letter case: %s is %s', (given, name) => {
    expect(timeZone(given).name).toBe(name);
  });

  test.each(['', 'Europe/Atlantis', '+01:00', '-03', 'utc+1'])('rejects %j', (name) => {
    expect(() => timeZone(name)).toThrow(RangeError);
  });
});

describe('startOfDay', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
    // Clocks go from midnight to 01:00.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    // The zone has no such day: it went from the 29th to the 31st.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
  ])('in %s %s begins at %s', (zone, day, time) => {
    expect(startOfDay(timeZone(zone), day).toISOString()).toBe(time);
  });

  test('a day includes its first instant, but neither the one before nor its end', () => {
    const zones = [...ZONES, ...EDGES].map(timeZone);
    const days = fc.integer({ min: 0, max: 11_000 }).map((number) => addDays('2000-01-01', number));

    fc.assert(
      fc.property(fc.constantFrom(...zones), days, (zone, day) => {
        const start = startOfDay(zone, day);
        const end = endOfDay(zone, day);
        // Until 2011 clocks there went back from 00:01, so that a day had two beginnings.
        if (zone.name === 'America/St_Johns' && day < '2012') return;

        expect(dayOf(zone, start)).toBe(day);
        expect(dayOf(zone, new Date(start.getTime() - 1))).toBe(addDays(day, -1));
        expect(dayOf(zone, new Date(end.getTime() - 1))).toBe(day);
        expect(startOfDay(zone, addDays(day, 1))).toEqual(end);
      }),
    );
  });
});

describe('hoursOf', () => {
  test.each([
    ['UTC', '2026-03-29', 24],
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['Asia/Kolkata', '2026-10-25', 24],
    ['Africa/Cairo', '2026-04-24', 23],
    ['Pacific/Apia', '2011-12-30', 0],
  ])('in %s %s has %i hours', (zone, day, hours) => {
    expect(hoursOf(timeZone(zone), day, day)).toHaveLength(hours);
  });

  test('hours begin with the clock of the zone, and a repeated hour is listed with both offsets', () => {
    const zone = timeZone('Europe/Berlin');

    const hours = hoursOf(zone, '2026-10-25', '2026-10-25').map((hour) => formatWithOffset(zone, hour));

    expect(hours.slice(1, 5)).toEqual([
      '2026-10-25T01:00:00+02:00',
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
      '2026-10-25T03:00:00+01:00',
    ]);
  });

  test('where clocks go back by half an hour, the repeated half hour is one of its own', () => {
    const zone = timeZone('Australia/Lord_Howe');

    const hours = hoursOf(zone, '2026-04-05', '2026-04-05').map((hour) => formatWithOffset(zone, hour));

    expect(hours.slice(0, 4)).toEqual([
      '2026-04-05T00:00:00+11:00',
      '2026-04-05T01:00:00+11:00',
      '2026-04-05T01:30:00+11:00',
      '2026-04-05T02:00:00+10:30',
    ]);
  });

  test('every instant of a day falls into one of its hours', () => {
    const zones = [...ZONES, ...EDGES].map(timeZone);
    const times = fc.date({ min: new Date('2012-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });

    fc.assert(
      fc.property(fc.constantFrom(...zones), times, (zone, time) => {
        const day = dayOf(zone, time);

        expect(hoursOf(zone, day, day)).toContainEqual(startOfHour(zone, time));
      }),
    );
  });
});

describe('formatWithOffset', () => {
  test.each([
    ['UTC', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00+00:00'],
    ['Asia/Kathmandu', '2026-11-20T12:00:00.000Z', '2026-11-20T17:45:00+05:45'],
    ['America/St_Johns', '2026-11-20T12:00:00.000Z', '2026-11-20T08:30:00-03:30'],
    // Clocks went forward at a minute past midnight.
    ['Antarctica/Casey', '2020-10-03T16:00:59.999Z', '2020-10-04T00:00:59+08:00'],
    ['Antarctica/Casey', '2020-10-03T16:01:00.000Z', '2020-10-04T03:01:00+11:00'],
    // The offset was -00:44:30, which cannot be written.
    ['Africa/Monrovia', '1970-01-02T00:44:30.000Z', '1970-01-02T00:00:30-00:44'],
    ['Africa/Monrovia', '1972-01-07T00:44:30.000Z', '1972-01-07T00:44:30+00:00'],
  ])('in %s %s is %s, which is the same instant', (zone, time, text) => {
    expect(formatWithOffset(timeZone(zone), new Date(time))).toBe(text);
    expect(Math.floor(Date.parse(time) / 1_000)).toBe(Date.parse(text) / 1_000);
  });

  test('is exact whenever the clocks of any zone change, also after other times were read', () => {
    const zones = [...Intl.supportedValuesOf('timeZone'), ...EDGES].map(timeZone);
    const years = fc.date({ min: new Date('1980-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
    const minutes = fc.integer({ min: -90, max: 90 });

    fc.assert(
      fc.property(fc.constantFrom(...zones), years, minutes, (zone, after, minute) => {
        const start = Temporal.Instant.fromEpochMilliseconds(after.getTime()).toZonedDateTimeISO(zone.name);
        const time = (start.getTimeZoneTransition('next') ?? start).add({ minutes: minute });
        formatWithOffset(zone, after);

        expect(formatWithOffset(zone, new Date(time.epochMilliseconds))).toBe(
          time.toString({ smallestUnit: 'second', timeZoneName: 'never' }),
        );
      }),
    );
  });
});

describe('lastDayOnEarth', () => {
  test.each([
    ['2026-11-20T11:59:59.999Z', '2026-11-19'],
    ['2026-11-20T12:00:00.000Z', '2026-11-20'],
  ])('at %s is %s, and no zone is behind it', (time, day) => {
    const zones = Intl.supportedValuesOf('timeZone').map((name) => dayOf(timeZone(name), new Date(time)));

    expect(lastDayOnEarth(new Date(time))).toBe(day);
    expect(zones.every((there) => there >= day)).toBe(true);
  });
});
