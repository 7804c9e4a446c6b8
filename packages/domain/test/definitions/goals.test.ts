import { describe, expect, test } from 'vitest';
import type { GoalContent } from '../../src/definitions/definition.ts';
import { type GoalInput, goalInputOf, parseGoalChanges, parseNewGoal } from '../../src/definitions/goals.ts';
import { faultsOf, named } from '../faults.ts';

const refused = (input: GoalInput) => named(faultsOf(() => parseNewGoal(input)));

describe('parseNewGoal', () => {
  test('reads an event with properties and a sum', () => {
    const goal = parseNewGoal({ name: 'Ægir 🦊', event: 'Signup', props: { plan: 'pro', a: '' }, sum: 'amount' });

    expect(goal).toEqual({
      name: 'Ægir 🦊',
      content: { rule: { event: 'Signup', props: { a: '', plan: 'pro' } }, sum: 'amount' },
    });
  });

  test('reads an event alone, and a page; null stands for none', () => {
    const event = parseNewGoal({ name: 'a', event: 'Signup', props: null, sum: null, page: null });
    const page = parseNewGoal({ name: 'b', page: '/checkout/*', event: null, props: {} });

    expect(event.content).toEqual({ rule: { event: 'Signup', props: {} }, sum: null });
    expect(page.content).toEqual({ rule: { page: '/checkout/*' }, sum: null });
  });

  test('reads what the pageview of a page reached at least', () => {
    const rule = { page: '/blog/*', scroll: 75, seconds: 30 };

    expect(parseNewGoal({ name: 'Read', ...rule }).content).toEqual({ rule, sum: null });
    expect(parseNewGoal({ name: 'a', page: '/', scroll: 1, seconds: null }).content).toEqual({
      rule: { page: '/', scroll: 1 },
      sum: null,
    });
    expect(goalInputOf({ rule, sum: null })).toEqual(rule);
  });

  test('a page has the spelling of stored ones', () => {
    expect(parseNewGoal({ name: 'a', page: '/%e6%a9%9f/%5f\\*/*' }).content.rule).toEqual({
      page: '/%E6%A9%9F/_\\*/*',
    });
  });

  test('properties in another order are the same goal', () => {
    const [one, other] = [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ].map((props) => JSON.stringify(parseNewGoal({ name: 'a', event: 'x', props })));

    expect(one).toBe(other);
  });

  test.each<[string, GoalInput, string[]]>([
    ['nothing', {}, ['name required', 'event required']],
    ['both an event and a page', { name: 'a', event: 'x', page: '/' }, ['page not_allowed']],
    ['properties of a page', { name: 'a', page: '/', props: { b: 'c' } }, ['props not_allowed']],
    ['a sum of a page', { name: 'a', page: '/', sum: 'b' }, ['sum not_allowed']],
    ['a place in an event', { name: 'a', event: 'x', scroll: 50 }, ['scroll not_allowed']],
    [
      'numbers out of bounds',
      { name: 'a', page: '/', scroll: 101, seconds: 0 },
      ['scroll not_allowed', 'seconds not_allowed'],
    ],
    [
      'parts and no numbers',
      { name: 'a', page: '/', scroll: 1.5, seconds: Number.NaN },
      ['scroll not_allowed', 'seconds not_allowed'],
    ],
    ['an empty name', { name: '', page: '/' }, ['name required']],
    ['a name of 65 characters', { name: '🦊'.repeat(65), page: '/' }, ['name too_long']],
    ['a name with a line break', { name: 'a\nb', page: '/' }, ['name invalid_name']],
    ['a name with a space at its end', { name: 'a ', page: '/' }, ['name invalid_name']],
    ['a name with a lone surrogate', { name: '\ud800', page: '/' }, ['name invalid_name']],
    ['an empty event', { name: 'a', event: '' }, ['event required']],
    ['an event of 65 characters', { name: 'a', event: 'é'.repeat(65) }, ['event too_long']],
    ['an event with a NUL', { name: 'a', event: 'a\0' }, ['event invalid_name']],
    ['an empty page', { name: 'a', page: '' }, ['page required']],
    ['a page of 2,001 characters', { name: 'a', page: '*'.repeat(2_001) }, ['page too_long']],
    ['a page with a NUL', { name: 'a', page: '/\0' }, ['page not_allowed']],
    ['an empty sum', { name: 'a', event: 'x', sum: '' }, ['sum invalid_name']],
    ['a sum of 41 characters', { name: 'a', event: 'x', sum: 'b'.repeat(41) }, ['sum invalid_name']],
    [
      '11 properties',
      { name: 'a', event: 'x', props: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [index, 'b'])) },
      ['props too_many'],
    ],
    [
      'properties with bad names and values',
      {
        name: 'a',
        event: 'x',
        props: { '': 'b', ['é'.repeat(41)]: 'b', '<b>': 'c'.repeat(201), d: '\0', 'e.f': 'g'.repeat(200) },
      },
      ['props. invalid_name', `props.${'_'.repeat(41)} invalid_name`, 'props._b_ too_long', 'props.d not_allowed'],
    ],
  ])('rejects %s', (_, input, faults) => {
    expect(refused(input)).toEqual(faults);
  });

  test('accepts names, patterns and properties of the greatest length', () => {
    const props = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`${index}${'🦊'.repeat(39)}`, '🦊'.repeat(200)]),
    );

    expect(() =>
      parseNewGoal({ name: '🦊'.repeat(64), event: '🦊'.repeat(64), props, sum: '🦊'.repeat(40) }),
    ).not.toThrow();
    expect(() => parseNewGoal({ name: 'a', page: '🦊'.repeat(2_000) })).not.toThrow();
  });
});

describe('parseGoalChanges', () => {
  const EVENT: GoalContent = { rule: { event: 'Signup', props: { plan: 'pro' } }, sum: 'amount' };
  const READ: GoalContent = { rule: { page: '/a', scroll: 75, seconds: 30 }, sum: null };
  const PAGE: GoalContent = { rule: { page: '/thanks' }, sum: null };
  const change = (content: GoalContent, input: GoalInput) => parseGoalChanges(input).change(content);

  test('what is not sent stays', () => {
    const { name, change } = parseGoalChanges({ name: 'b' });

    expect(name).toBe('b');
    expect(change(EVENT)).toEqual(EVENT);
    expect(change(PAGE)).toEqual(PAGE);
  });

  test('keep what a pageview must reach, until null removes it or the goal is one by event', () => {
    expect(change(READ, { page: '/b', scroll: null })).toEqual({ rule: { page: '/b', seconds: 30 }, sum: null });
    expect(change(READ, { page: null, event: 'x' })).toEqual({ rule: { event: 'x', props: {} }, sum: null });
  });

  test('props are replaced whole, and null removes props and sum', () => {
    expect(change(EVENT, { props: { size: 'L' } }).rule).toEqual({ event: 'Signup', props: { size: 'L' } });
    expect(change(EVENT, { props: null, sum: null })).toEqual({ rule: { event: 'Signup', props: {} }, sum: null });
    expect(change(EVENT, { event: 'Login' })).toEqual({ ...EVENT, rule: { event: 'Login', props: { plan: 'pro' } } });
  });

  test('a goal switches where the other one is sent as null', () => {
    expect(change(EVENT, { event: null, page: '/a' })).toEqual({ rule: { page: '/a' }, sum: null });
    expect(change(PAGE, { event: 'x', page: null, sum: 'b' })).toEqual({ rule: { event: 'x', props: {} }, sum: 'b' });
  });

  test.each<[string, GoalContent, GoalInput, string[]]>([
    ['a page of an event', EVENT, { page: '/a' }, ['page not_allowed']],
    ['an event of a page', PAGE, { event: 'x' }, ['page not_allowed']],
    ['neither', EVENT, { event: null }, ['event required']],
    ['no page any more', PAGE, { page: null }, ['event required']],
    ['properties of a page', PAGE, { props: { a: 'b' } }, ['props not_allowed']],
    ['a sum of a page', PAGE, { sum: 'b' }, ['sum not_allowed']],
    ['properties of what becomes a page', EVENT, { event: null, page: '/', props: { a: 'b' } }, ['props not_allowed']],
  ])('rejects %s', (_, content, input, faults) => {
    expect(named(faultsOf(() => change(content, input)))).toEqual(faults);
  });

  test('rejects invalid fields before the stored goal is known', () => {
    const faults = faultsOf(() => parseGoalChanges({ name: '', event: '', page: '', sum: '' }));

    expect(named(faults)).toEqual(['name required', 'event required', 'page required', 'sum invalid_name']);
  });
});
