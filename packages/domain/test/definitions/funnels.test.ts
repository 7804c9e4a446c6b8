import { describe, expect, test } from 'vitest';
import { type FunnelInput, parseFunnelChanges, parseNewFunnel, type StepInput } from '../../src/definitions/funnels.ts';
import { faultsOf, named } from '../faults.ts';

const STEPS: readonly StepInput[] = [
  { name: 'Product', page: '/product/*' },
  { name: 'Cart', event: 'Add to cart', props: { size: 'L' } },
];
const refused = (input: FunnelInput) => named(faultsOf(() => parseNewFunnel(input)));
const step = (fields: StepInput) => ({ name: 'a', steps: [...STEPS, { name: 'b', ...fields }] });

describe('parseNewFunnel', () => {
  test('reads steps by page and by event', () => {
    expect(parseNewFunnel({ name: 'Purchase', steps: STEPS })).toEqual({
      name: 'Purchase',
      content: {
        steps: [
          { name: 'Product', rule: { page: '/product/*' } },
          { name: 'Cart', rule: { event: 'Add to cart', props: { size: 'L' } } },
        ],
      },
    });
  });

  test('a funnel has 2 to 8 steps', () => {
    const steps = (count: number) => ({
      name: 'a',
      steps: Array.from({ length: count }, () => ({ name: 'b', page: '*' })),
    });

    expect(parseNewFunnel(steps(8)).content.steps).toHaveLength(8);
    expect(refused(steps(9))).toEqual(['steps too_many']);
    expect(refused(steps(1))).toEqual(['steps not_allowed']);
    expect(refused({})).toEqual(['name required', 'steps required']);
  });

  test.each<[string, StepInput, string[]]>([
    ['without a name', { name: undefined, page: '/' }, ['steps.2.name required']],
    ['with a long name', { name: 'x'.repeat(65), page: '/' }, ['steps.2.name too_long']],
    ['without a rule', {}, ['steps.2.event required']],
    ['with both', { event: 'x', page: '/' }, ['steps.2.page not_allowed']],
    ['with an empty page', { page: '' }, ['steps.2.page required']],
    ['with a bad property', { event: 'x', props: { y: '\0' } }, ['steps.2.props.y not_allowed']],
    ['with properties of a page', { page: '/', props: { y: 'z' } }, ['steps.2.props not_allowed']],
  ])('rejects a step %s', (_, fields, faults) => {
    expect(refused(step(fields))).toEqual(faults);
  });
});

describe('parseFunnelChanges', () => {
  const { content } = parseNewFunnel({ name: 'a', steps: STEPS });

  test('steps replace all stored ones; what is not sent stays', () => {
    const renamed = parseFunnelChanges({ name: 'b' });
    const replaced = parseFunnelChanges({ steps: STEPS.toReversed() });

    expect([renamed.name, renamed.change(content)]).toEqual(['b', content]);
    expect([replaced.name, replaced.change(content)]).toEqual([undefined, { steps: content.steps.toReversed() }]);
  });

  test('rejects too few steps and a bad name together', () => {
    expect(named(faultsOf(() => parseFunnelChanges({ name: '', steps: [] })))).toEqual([
      'name required',
      'steps required',
    ]);
  });
});
