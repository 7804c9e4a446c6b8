import { ENGLISH } from '@hitherto/words';
import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { InLocale } from '../src/shared/locale.tsx';
import { LISTED_DIMENSIONS, makeCards } from '../src/statistics/cards.ts';
import { ListCard } from '../src/statistics/list-card.tsx';
import { readSelection } from '../src/statistics/selection.ts';

/** The text of the cards of a website without hits, whose engine still counts these dimensions. */
function cardsWithout(uncounted: readonly string[]): string {
  const counted = LISTED_DIMENSIONS.filter((dimension) => !uncounted.includes(dimension));
  const cards = makeCards({
    locale: ENGLISH,
    path: '/statistics/a-website',
    selection: readSelection(new URLSearchParams(), '2026-11-20'),
    visitors: 0,
    values: new Map(counted.map((dimension) => [dimension, { rows: [], total: 0 }])),
    imported: [],
    query: { websiteId: 'a-website', from: '2026-10-24', to: '2026-11-20', filters: [] },
    properties: undefined,
    rates: new Map(),
  });
  return cards.map((card) => render(h(InLocale, { locale: ENGLISH, children: h(ListCard, { card }) }))).join('');
}

test('a list that is still counted after an update says so, and others do not', () => {
  const notices = cardsWithout(['exit_page']).match(/<p class="nothing">Still being counted/g);

  expect(notices).toHaveLength(1);
  expect(cardsWithout([])).not.toContain('Still being counted');
});
