import { describe, expect, test } from 'vitest';
import {
  addDays,
  comparedPeriod,
  defaultInterval,
  namedPeriod,
  PERIOD_NAMES,
  readPeriod,
} from '../../src/calendar/days.ts';
import { named } from '../faults.ts';

const TODAY = '2026-11-20';

describe('namedPeriod', () => {
  test('returns periods that end today or yesterday', () => {
    expect(PERIOD_NAMES.map((name) => [name, ...Object.values(namedPeriod(name, TODAY))])).toEqual([
      ['today', '2026-11-20', '2026-11-20'],
      ['yesterday', '2026-11-19', '2026-11-19'],
      ['7d', '2026-11-14', '2026-11-20'],
      ['28d', '2026-10-24', '2026-11-20'],
      ['month', '2026-11-01', '2026-11-20'],
      ['12m', '2025-12-01', '2026-11-20'],
    ]);
  });

  test('months begin on their first day, also at the end of a longer month', () => {
    expect(namedPeriod('12m', '2028-02-29')).toEqual({ from: '2027-03-01', to: '2028-02-29' });
    expect(namedPeriod('month', '2027-01-01')).toEqual({ from: '2027-01-01', to: '2027-01-01' });
  });
});

describe('readPeriod', () => {
  const faultsOf = (from?: string, to?: string) => {
    const read = readPeriod(from, to, TODAY);
    return 'faults' in read ? named(read.faults) : [];
  };

  test('defaults to today and the 27 days before', () => {
    expect(readPeriod(undefined, undefined, TODAY)).toEqual({ period: { from: '2026-10-24', to: TODAY } });
  });

  test('one day, days ahead and 1,830 days are accepted', () => {
    expect(faultsOf(TODAY, TODAY)).toEqual([]);
    expect(faultsOf('2027-01-01', '9999-12-31').concat(faultsOf('2027-01-01', '2027-12-31'))).toEqual([
      'from not_allowed',
    ]);
    expect(faultsOf('2020-01-01', addDays('2020-01-01', 1829))).toEqual([]);
    expect(faultsOf('2020-01-01', addDays('2020-01-01', 1830))).toEqual(['from not_allowed']);
  });

  test.each([
    [TODAY, undefined, ['to required']],
    [undefined, TODAY, ['from required']],
    ['nonsense', undefined, ['from not_allowed', 'to required']],
    [TODAY, '2026-11-19', ['to not_allowed']],
    ['2026-02-29', '2026-03-01', ['from not_allowed']],
    ['2026-11-1', '2026-13-01', ['from not_allowed', 'to not_allowed']],
    ['', '+2026-11-20', ['from not_allowed', 'to not_allowed']],
    ['0000-01-01', '1969-12-31', ['from not_allowed', 'to not_allowed']],
    ['2026-11-20T00:00:00Z', '2026-11-20\n', ['from not_allowed', 'to not_allowed']],
  ])('%j to %j is rejected: %j', (from, to, faults) => {
    expect(faultsOf(from, to)).toEqual(faults);
  });
});

describe('comparedPeriod', () => {
  test.each([
    ['previous', '2026-11-01', '2026-11-28', '2026-10-04', '2026-10-31'],
    ['previous', '2026-03-01', '2026-03-01', '2026-02-28', '2026-02-28'],
    ['year', '2026-11-01', '2026-11-28', '2025-11-01', '2025-11-28'],
    ['year', '2028-02-29', '2028-02-29', '2027-02-28', '2027-02-28'],
    ['year', '2028-02-01', '2028-03-31', '2027-02-01', '2027-03-31'],
    ['year', '2029-02-28', '2029-02-28', '2028-02-28', '2028-02-28'],
  ] as const)('%s of %s to %s is %s to %s', (comparison, from, to, comparedFrom, comparedTo) => {
    expect(comparedPeriod({ from, to }, comparison)).toEqual({ from: comparedFrom, to: comparedTo });
  });
});

describe('defaultInterval', () => {
  test.each([
    [1, 'hour'],
    [2, 'day'],
    [92, 'day'],
    [93, 'week'],
    [366, 'week'],
    [367, 'month'],
    [1830, 'month'],
  ])('of %i days is %s', (days, interval) => {
    expect(defaultInterval({ from: '2026-01-01', to: addDays('2026-01-01', days - 1) })).toBe(interval);
  });
});
