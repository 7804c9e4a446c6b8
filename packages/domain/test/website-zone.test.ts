import { describe, expect, test } from 'vitest';
import { timeZone, zoneOf } from '../src/calendar/time-zone.ts';
import { TIME_ZONE_NAMES } from '../src/websites/website-zone.ts';

const INSTALLATION = timeZone('Europe/Berlin');

describe('zoneOf', () => {
  test.each([
    ['Asia/Kolkata', 'Asia/Kolkata'],
    [null, 'Europe/Berlin'],
    ['Mars/Olympus_Mons', 'Europe/Berlin'],
  ])('the zone of a website with %s is %s', (name, expected) => {
    expect(zoneOf({ timeZone: name }, INSTALLATION).name).toBe(expected);
  });

  test('websites of one zone share its offsets', () => {
    expect(zoneOf({ timeZone: 'Asia/Kolkata' }, INSTALLATION)).toBe(zoneOf({ timeZone: 'asia/kolkata' }, INSTALLATION));
  });
});

test('each name that is offered is a zone in normal form', () => {
  expect(TIME_ZONE_NAMES.map((name) => timeZone(name).name)).toEqual(TIME_ZONE_NAMES);
  expect(new Set(TIME_ZONE_NAMES).size).toBe(TIME_ZONE_NAMES.length);
  expect(TIME_ZONE_NAMES).toEqual(expect.arrayContaining(['UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'Pacific/Kiritimati']));
});
