import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parametersOf, readSelection, withFilter } from '../src/statistics/selection.ts';

const TODAY = '2026-11-20';
const read = (query: string) => readSelection(new URLSearchParams(query), TODAY);

test('without parameters the page shows visitors of 28 days, today included', () => {
  expect(read('')).toEqual({
    period: '28d',
    from: '2026-10-24',
    to: TODAY,
    filters: [],
    metric: 'visitors',
    lists: [],
    property: undefined,
  });
});

test.each([
  ['period=today', TODAY, TODAY],
  ['period=yesterday', '2026-11-19', '2026-11-19'],
  ['period=7d', '2026-11-14', TODAY],
  ['period=month', '2026-11-01', TODAY],
  ['period=12m', '2025-12-01', TODAY],
  ['from=2026-02-01&to=2026-02-28', '2026-02-01', '2026-02-28'],
  ['from=2026-11-01&to=2027-01-01', '2026-11-01', '2027-01-01'],
])('%s is from %s to %s', (query, from, to) => {
  expect(read(query)).toMatchObject({ from, to });
});

const OTHERS = 'entry_page=x&exit_page=x&os=x&browser=x&device=x&language=x&channel=x&referrer=x';

describe('faulty parameters take their default', () => {
  test.each([
    'period=',
    'period=year',
    'from=2026-11-01',
    'from=2026-02-29&to=2026-03-01',
    'from=2026-11-02&to=2026-11-01',
    'from=1990-01-01&to=2026-11-01',
    'metric=events',
    'list=x',
    'page=%00',
    `page=${'x'.repeat(5_000)}`,
    'unknown=1',
    '%E0%A4%A',
    `property=${'x'.repeat(41)}`,
  ])('%s', (query) => {
    expect(read(query)).toEqual(read(''));
  });

  test('the first ten filters count, and the first value of a repeated one', () => {
    const { filters } = read(`page=/a&page=/b&source=&${OTHERS}&country=DE`);

    expect(filters).toEqual([
      { dimension: 'page', value: '/a' },
      { dimension: 'source', value: null },
      ...OTHERS.split('&').map((filter) => ({ dimension: filter.split('=')[0], value: 'x' })),
    ]);
  });
});

test('an eleventh filter cannot be chosen, but one in place of another can', () => {
  const ten = read(`page=/a&source=&${OTHERS}`);

  expect(withFilter(ten, { dimension: 'country', value: 'DE' })).toBeUndefined();
  expect(withFilter(ten, { dimension: 'os', value: 'z' })?.filters).toContainEqual({ dimension: 'os', value: 'z' });
});

test('the name of a property may be empty, or 40 characters of any alphabet', () => {
  expect(read('property=').property).toBe('');
  expect(read(`property=${'🦊'.repeat(40)}`).property).toBe('🦊'.repeat(40));
});

test('parameters written from a selection read as the same selection', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const query = fc.record(
    {
      period: fc.constantFrom('today', '28d', '12m', 'x'),
      metric: fc.constantFrom('visits', 'bounce_rate', 'x'),
      page: text,
      event: text,
      property: text,
      list: fc.constantFrom('referrer', 'exit_page', 'x'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(query, (parameters) => {
      const selection = readSelection(new URLSearchParams(parameters), TODAY);

      expect(readSelection(parametersOf(selection), TODAY)).toEqual(selection);
    }),
  );
});
