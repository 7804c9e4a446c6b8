import { parameterOf, parameterValuesOf, valueFilter } from '@hitherto/domain/visits';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parametersOf, readSelection, withFilter, withoutFilter } from '../src/statistics/selection.ts';

const TODAY = '2026-11-20';
const read = (query: string) => readSelection(new URLSearchParams(query), TODAY);

test('without parameters the page shows visitors of 28 days, today included', () => {
  expect(read('')).toEqual({
    period: '28d',
    from: '2026-10-24',
    to: TODAY,
    compare: 'previous',
    filters: [],
    match: 'all',
    segment: undefined,
    metric: 'visitors',
    lists: [],
    property: undefined,
    hidden: undefined,
    crawlers: 'operators',
    conversion: undefined,
    funnel: undefined,
    isEmbedded: false,
    theme: 'auto',
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
    'compare=custom',
    'list=x',
    'page=%00',
    `page=${'x'.repeat(5_000)}`,
    'unknown=1',
    '%E0%A4%A',
    `property=${'x'.repeat(41)}`,
    'country.foo=DE',
    'page.contains=',
    'goal.contains=x',
    'segment=a&segment=b',
    'match=none',
    'match=any',
    'add=page&operator=is&value=x',
  ])('%s', (query) => {
    expect(read(query)).toEqual(read(''));
  });

  test('the first ten filters count', () => {
    const { filters } = read(`page=/a&source=&${OTHERS}&country=DE`);

    expect(filters.map(parameterOf)).toEqual(['page', 'source', ...OTHERS.split('&').map((one) => one.split('=')[0])]);
  });
});

test('a repeated filter asks for any of its values, each once', () => {
  expect(read('country=DE&country.not=FR&country=AT&country=DE').filters.map(parameterValuesOf)).toEqual([
    ['DE', 'AT'],
    ['FR'],
  ]);
});

test('an eleventh filter cannot be chosen, but one in place of another can; a segment counts as one', () => {
  const ten = read(`page=/a&source=&${OTHERS}`);
  const nine = withoutFilter(ten, 'page');

  expect(withFilter(ten, valueFilter('country', 'DE'))).toBeUndefined();
  expect(withFilter(ten, valueFilter('os', 'z'))?.filters).toContainEqual(valueFilter('os', 'z'));
  expect(withFilter(nine, valueFilter('country', 'DE'))?.filters).toHaveLength(10);
  expect(withFilter({ ...nine, segment: 'a segment' }, valueFilter('country', 'DE'))).toBeUndefined();
});

test('without its event there is no property, and of one filter all and any are the same', () => {
  expect(withoutFilter(read('event=Signup&property=plan&country=DE&match=any'), 'event')).toMatchObject({
    property: undefined,
    match: 'all',
  });
  expect(read('event=Signup&event=Login&property=plan').property).toBeUndefined();
});

test('the name of a property may be empty, or 40 characters of any alphabet', () => {
  expect(read('event=a&property=').property).toBe('');
  expect(read(`event=a&property=${'🦊'.repeat(40)}`).property).toBe('🦊'.repeat(40));
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
      'country.not': text,
      'page.like': text,
      'props[a.b]]': text,
      segment: text,
      match: fc.constantFrom('any', 'x'),
      compare: fc.constantFrom('previous', 'year', 'none', 'x'),
      conversion: text,
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
