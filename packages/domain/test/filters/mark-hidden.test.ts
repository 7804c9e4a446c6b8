import { expect, it } from 'vitest';
import { aCountedHit } from '../../../testing/src/fixtures.ts';
import { type MarkedHit, markHidden } from '../../src/cleanups/mark-hidden.ts';
import { valueFilter } from '../../src/visits/filters.ts';

const SPAM = { id: '', match: 'all', filters: [valueFilter('page', '/spam')], from: null, to: '2026-11-20' } as const;

it('marks all hits of hidden visits, and measures of their pageviews, in their order', async () => {
  const hit = (day: string, minute: number, visitor: bigint, page: string) =>
    aCountedHit({ day, time: new Date(`${day}T10:${minute}:00.000Z`), visitor, page });
  async function* hits() {
    yield hit('2026-11-20', 30, 1n, '/spam');
    yield hit('2026-11-20', 10, 2n, '/a');
    yield { ...hit('2026-11-20', 20, 1n, '/b'), view: 5 };
    yield { ...hit('2026-11-20', 50, 1n, ''), view: 5, measure: { seconds: 1, scroll: 1 } };
    yield { ...hit('2026-11-20', 50, 1n, ''), view: 6, measure: { seconds: 1, scroll: 1 } };
    yield hit('2026-11-21', 10, 1n, '/spam');
  }

  const marked: MarkedHit[] = [];
  for await (const one of markHidden(hits(), [SPAM])) marked.push(one);

  expect(marked.map(({ page, isHidden = false }) => [page, isHidden])).toEqual([
    ['/spam', true],
    ['/a', false],
    ['/b', true],
    ['', true],
    ['', false],
    ['/spam', false],
  ]);
});
