import { describe, expect, test } from 'vitest';
import { parseNewSegment, parseSegmentChanges } from '../../src/definitions/segments.ts';
import { faultsOf, named } from '../faults.ts';

const filters = (parameters: Record<string, string[]>) => Object.entries(parameters);
const refused = (parameters: Record<string, string[]>) =>
  named(faultsOf(() => parseNewSegment({ name: 'a', filters: filters(parameters) })));

describe('parseNewSegment', () => {
  test('reads filters, which match all unless it says otherwise', () => {
    const segment = parseNewSegment({
      name: 'Readers',
      filters: filters({ 'page.like': ['/blog/*'], country: ['DE'] }),
    });
    const any = parseNewSegment({ name: 'a', filters: filters({ country: ['DE'] }), match: 'any' });

    expect(segment.content).toEqual({
      match: 'all',
      filters: [
        { kind: 'dimension', dimension: 'country', comparator: 'is', isNegated: false, values: ['DE'] },
        { kind: 'dimension', dimension: 'page', comparator: 'like', isNegated: false, values: ['/blog/*'] },
      ],
    });
    expect(any.content.match).toBe('any');
  });

  test.each<[string, Record<string, string[]>, string[]]>([
    ['no filters', {}, ['filters required']],
    ['a segment', { segment: ['x'] }, ['filters.segment unknown']],
    ['an unknown operator', { 'country.foo': ['x'] }, ['filters.country.foo unknown']],
    ['an empty pattern of a property', { 'props[plan].like': [''] }, ['filters.props[plan].like required']],
    ['no values', { 'country.not': [] }, ['filters.country.not required']],
    ['a NUL', { page: ['/', '\0'] }, ['filters.page not_allowed']],
  ])('rejects %s', (_, parameters, faults) => {
    expect(refused(parameters)).toEqual(faults);
  });

  test('of more than ten filters the first beyond is named, in the order in which they were sent', () => {
    const sent = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`props[${20 - index}]`, ['x']]));

    expect(refused(sent)).toEqual(['filters.props[10] too_many']);
  });

  test('rejects a segment without a name, with the faults of its filters', () => {
    const faults = faultsOf(() => parseNewSegment({ filters: filters({ x: ['y'] }) }));

    expect(named(faults)).toEqual(['name required', 'filters.x unknown']);
  });
});

describe('parseSegmentChanges', () => {
  const { content } = parseNewSegment({ name: 'a', filters: filters({ country: ['DE'], os: ['Linux'] }) });

  test('filters replace all stored ones; what is not sent stays', () => {
    const replaced = parseSegmentChanges({ filters: filters({ browser: ['Firefox'] }) }).change(content);
    const matched = parseSegmentChanges({ match: 'any' }).change(content);

    expect(replaced).toEqual({ match: 'all', filters: [expect.objectContaining({ dimension: 'browser' })] });
    expect(matched).toEqual({ ...content, match: 'any' });
    expect(parseSegmentChanges({ name: 'b' }).change(content)).toEqual(content);
  });

  test('rejects to remove all filters', () => {
    expect(named(faultsOf(() => parseSegmentChanges({ filters: [] })))).toEqual(['filters required']);
  });
});
