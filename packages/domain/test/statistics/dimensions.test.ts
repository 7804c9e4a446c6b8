import { expect, test } from 'vitest';
import { aCountedHit } from '../../../testing/src/fixtures.ts';
import { DIMENSION_TABLE, DIMENSIONS, FIRST_HIT_DIMENSIONS, HIT_STRINGS } from '../../src/hits/dimensions.ts';

test('the codes of dimensions never change', () => {
  const codes = Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, DIMENSION_TABLE[dimension].code]));

  expect(codes).toEqual({
    page: 1,
    entry_page: 2,
    exit_page: 3,
    channel: 4,
    source: 5,
    referrer: 6,
    utm_source: 7,
    utm_medium: 8,
    utm_campaign: 9,
    utm_content: 10,
    utm_term: 11,
    country: 12,
    language: 13,
    browser: 14,
    os: 15,
    device: 16,
    event: 17,
    host: 19,
    network: 20,
  });
});

test('ties between hits are broken by dimensions in the order of their codes', () => {
  const codes = FIRST_HIT_DIMENSIONS.map((dimension) => DIMENSION_TABLE[dimension].code);

  expect(codes).toEqual(codes.toSorted((a, b) => a - b));
});

test('every string of a hit has one name', () => {
  const { websiteId: _, day: __, ...details } = aCountedHit({ name: 'é' });
  const texts = Object.entries(details).filter(([, value]) => value === null || typeof value === 'string');

  expect(Object.values(HIT_STRINGS).toSorted()).toEqual(
    texts
      .map(([field]) => field)
      .filter((field) => field !== 'props')
      .toSorted(),
  );
});
