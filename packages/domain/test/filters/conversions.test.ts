import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCountedHit, histories } from '../../../testing/src/fixtures.ts';
import type { CountedHit } from '../../src/hits/hit.ts';
import { addDecimals, conversionsOf, readDecimal, stepsReached, sumOfProperty } from '../../src/visits/conversions.ts';
import type { HitRule } from '../../src/visits/rules.ts';
import { visitsOf } from '../../src/visits/visits.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 12, 0, second));

function visitOf(...hits: readonly Partial<CountedHit>[]) {
  const [visit] = visitsOf(hits.map((hit, second) => aCountedHit({ time: at(second), ...hit })));
  if (visit === undefined) throw new Error('These hits make no visit.');
  return visit;
}

describe('conversionsOf', () => {
  const visit = visitOf(
    { page: '/checkout/1' },
    { page: '/checkout/1', name: 'Signup', props: { plan: 'pro', amount: 10 } },
    { page: '/checkout/1', name: 'Signup', props: { plan: 'free', amount: '39.5' } },
    { page: '/checkout/2' },
  );

  test.each<[string, HitRule, number]>([
    ['events by name', { event: 'Signup', props: {} }, 2],
    ['events by name and case', { event: 'signup', props: {} }, 0],
    ['events with a property', { event: 'Signup', props: { plan: 'pro' } }, 1],
    ['events with a number', { event: 'Signup', props: { amount: '10' } }, 1],
    ['events that lack the property', { event: 'Signup', props: { gone: '' } }, 0],
    ['pageviews by pattern', { page: '/checkout/*' }, 2],
  ])('%s', (_, rule, conversions) => {
    expect(conversionsOf(visit, rule)).toHaveLength(conversions);
  });

  test('the numbers of a property are added up, exactly', () => {
    expect(sumOfProperty(visit.hits, 'amount')).toBe('49.50');
    expect(sumOfProperty(visit.hits, 'plan')).toBe('0.00');
  });
});

describe('Decimals', () => {
  test.each([
    ['12', '12.00'],
    ['-0.5', '-0.50'],
    ['+1.005', '1.01'],
    ['-1.005', '-1.01'],
    ['1.00499999999999999999', '1.00'],
    ['.5', '0.50'],
    ['5.', '5.00'],
    ['-0.001', '0.00'],
    ['99999999999999999999.99', '99999999999999999999.99'],
  ])('%s is %s', (text, sum) => {
    expect(addDecimals([readDecimal(text) ?? { digits: 0n, places: 0 }])).toBe(sum);
  });

  test.each(['', ' 1', '1e3', '1,5', '0x10', '--1', '.', '+', '1_000', 'NaN', '٣', '1.2.3'])('%j is none', (text) => {
    expect(readDecimal(text)).toBeUndefined();
  });

  test('0.1 and 0.2 make 0.3', () => {
    const sum = addDecimals(['0.1', '0.2'].flatMap((text) => readDecimal(text) ?? []));

    expect(sum).toBe('0.30');
  });
});

describe('stepsReached', () => {
  const product: HitRule = { page: '/product/*' };
  const cart: HitRule = { event: 'Add to cart', props: {} };
  const paid: HitRule = { page: '/thanks' };

  test('other hits may lie between, and the order counts', () => {
    const visit = visitOf({ page: '/product/1' }, { page: '/x' }, { page: '/product/1', name: 'Add to cart' });

    expect(stepsReached(visit, { steps: [product, cart, paid], isStrict: false })).toBe(2);
    expect(stepsReached(visit, { steps: [cart, product], isStrict: false })).toBe(1);
    expect(stepsReached(visit, { steps: [paid, product], isStrict: false })).toBe(0);
  });

  test('each step needs a hit of its own', () => {
    const once = visitOf({ page: '/product/1' });
    const twice = visitOf({ page: '/product/1' }, { page: '/product/1' });

    expect(stepsReached(once, { steps: [product, product], isStrict: false })).toBe(1);
    expect(stepsReached(twice, { steps: [product, product], isStrict: false })).toBe(2);
  });

  test('of any history a step is reached where some choice of hits in order fulfils the steps', () => {
    const rules = fc.constantFrom<HitRule>(
      { page: '*' },
      { page: '/a*' },
      { page: '/' },
      { event: 'Signup', props: {} },
      { event: 'é', props: {} },
    );
    fc.assert(
      fc.property(histories(undefined, 12), fc.array(rules, { minLength: 2, maxLength: 4 }), ({ hits }, steps) => {
        for (const visit of visitsOf(hits)) {
          for (const isStrict of [false, true]) {
            const reached = steps.filter((_, step) => isReachable(visit.hits, steps.slice(0, step + 1), isStrict));

            expect(stepsReached(visit, { steps, isStrict })).toBe(reached.length);
          }
        }
      }),
    );
  });
});

/** Tries every choice of hits. */
function isReachable(
  hits: readonly CountedHit[],
  [step, ...steps]: readonly HitRule[],
  isStrict: boolean,
  isFirst = true,
): boolean {
  if (step === undefined) return true;
  const isBetween = (end: number) => isStrict && !isFirst && hits.slice(0, end).some(({ name }) => name === null);
  return hits.some(
    (hit, place) =>
      !isBetween(place) &&
      conversionsOf({ ...visitOf({}), hits: [hit] }, step).length > 0 &&
      isReachable(hits.slice(place + 1), steps, isStrict, false),
  );
}
