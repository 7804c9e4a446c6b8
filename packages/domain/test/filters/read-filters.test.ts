import { describe, expect, test } from 'vitest';
import { parameterOf, parameterValuesOf, readFilters } from '../../src/visits/read-filters.ts';

const read = (parameters: Record<string, string[]>, allowsSegment = true) =>
  readFilters(Object.entries(parameters), allowsSegment);
const faultsOf = (parameters: Record<string, string[]>, allowsSegment = true) =>
  read(parameters, allowsSegment).faults.map(({ field, code }) => [field, code]);

describe('readFilters', () => {
  test('reads dimensions, properties, goals and a segment', () => {
    const { filters, segment, faults } = read({
      country: ['DE', ''],
      'page.not_like': ['/a/*'],
      'props[a.b].not': ['x'],
      'goal.not': ['one', 'two'],
      segment: ['seg'],
    });

    expect(faults).toEqual([]);
    expect(segment).toBe('seg');
    expect(filters).toEqual([
      { kind: 'dimension', dimension: 'country', comparator: 'is', isNegated: false, values: ['DE', null] },
      { kind: 'dimension', dimension: 'page', comparator: 'like', isNegated: true, values: ['/a/*'] },
      { kind: 'property', property: 'a.b', comparator: 'is', isNegated: true, values: ['x'] },
      { kind: 'goal', isNegated: true, goals: ['one', 'two'] },
    ]);
  });

  test('reads escapes of pages and referrers in the spelling of stored ones, and no other values', () => {
    const spelled = ['/%C3%A9/_%2F'];
    const { filters } = read({
      page: ['/%c3%a9/%5f%2f'],
      'entry_page.not_like': ['/%c3%a9/%5F%2f'],
      'referrer.contains': ['/%C3%a9/%5f%2F'],
      source: ['/%c3%a9'],
      'props[page]': ['/%c3%a9'],
    });

    expect(filters.map((filter) => parameterValuesOf(filter))).toEqual([
      spelled,
      spelled,
      spelled,
      ['/%c3%a9'],
      ['/%c3%a9'],
    ]);
  });

  test('every filter is written as it was read', () => {
    const parameters = {
      country: ['DE', ''],
      'country.not': ['FR'],
      'page.contains': ['a'],
      'page.not_contains': ['b'],
      'page.like': ['*'],
      'page.not_like': ['c'],
      'props[x]y].like': ['z'],
      goal: ['g'],
    };

    const written = read(parameters).filters.map((filter) => [parameterOf(filter), parameterValuesOf(filter)]);

    expect(Object.fromEntries(written)).toEqual(parameters);
  });

  test.each<[string, string[], string, string]>([
    ['country.foo', ['x'], 'country.foo', 'unknown'],
    ['country.', ['x'], 'country.', 'unknown'],
    ['country.not.not', ['x'], 'country.not.not', 'unknown'],
    ['contry.not', ['x'], 'contry.not', 'unknown'],
    ['Country', ['x'], 'Country', 'unknown'],
    ['constructor', ['x'], 'constructor', 'unknown'],
    ['goal.contains', ['x'], 'goal.contains', 'unknown'],
    ['segment.not', ['x'], 'segment.not', 'unknown'],
    ['segment', ['x', 'y'], 'segment', 'repeated'],
    ['props', ['x'], 'props', 'unknown'],
    ['props[]', ['x'], 'props[]', 'invalid_name'],
    [`props[${'x'.repeat(41)}]`, ['x'], `props[${'x'.repeat(41)}]`, 'invalid_name'],
    ['props[<b>].like', [''], 'props[_b_].like', 'required'],
    ['page.contains', [''], 'page.contains', 'required'],
    ['page.like', ['a', ''], 'page.like', 'required'],
    ['page', Array.from({ length: 21 }, String), 'page', 'too_many'],
    ['page', ['x'.repeat(2_001)], 'page', 'too_long'],
    ['page', [], 'page', 'required'],
  ])('%s with %j: a fault in %s', (name, values, field, code) => {
    const { filters, faults } = read({ [name]: values });

    expect(filters).toEqual([]);
    expect(faults.map((fault) => [fault.field, fault.code])).toEqual([[field, code]]);
  });

  test('20 values of 2,000 characters are accepted, counted in code points', () => {
    expect(faultsOf({ page: Array.from({ length: 20 }, () => '🦊'.repeat(2_000)) })).toEqual([]);
  });

  test('of more than ten filters the first beyond is named; a segment counts as one', () => {
    const ten = Object.fromEntries(
      ['country', 'country.not', 'page', 'page.not', 'page.like', 'os', 'device', 'browser', 'goal', 'segment'].map(
        (name) => [name, ['x']],
      ),
    );

    expect(faultsOf(ten)).toEqual([]);
    expect(faultsOf({ ...ten, 'os.not': ['x'], 'props[a]': ['x'] })).toEqual([['os.not', 'too_many']]);
  });

  test('a segment holds no segment', () => {
    expect(faultsOf({ segment: ['x'] }, false)).toEqual([['segment', 'unknown']]);
  });
});
