import type { TopValues } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { ENGLISH } from '@hitherto/words';
import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { InLocale } from '../src/shared/locale.tsx';
import { LISTED_DIMENSIONS, makeCards } from '../src/statistics/cards.ts';
import { ListCard } from '../src/statistics/list-card.tsx';
import { readSelection } from '../src/statistics/selection.ts';

/** The text of the cards with these numbers. */
function cardsOf(values: ReadonlyMap<Dimension, TopValues>): string {
  const cards = makeCards({
    locale: ENGLISH,
    path: '/statistics/a-website',
    selection: readSelection(new URLSearchParams(), '2026-11-20'),
    visitors: 0,
    isCompared: false,
    values,
    imported: [],
    query: { websiteId: 'a-website', from: '2026-10-24', to: '2026-11-20', filters: [] },
    properties: undefined,
    rates: new Map(),
  });
  return cards.map((card) => render(h(InLocale, { locale: ENGLISH, children: h(ListCard, { card }) }))).join('');
}

/** The text of the cards of a website without hits, whose engine still counts these dimensions. */
function cardsWithout(uncounted: readonly string[]): string {
  const counted = LISTED_DIMENSIONS.filter((dimension) => !uncounted.includes(dimension));
  return cardsOf(new Map(counted.map((dimension) => [dimension, { rows: [], total: 0 }])));
}

test('a list that is still counted after an update says so, and others do not', () => {
  const notices = cardsWithout(['exit_page']).match(/<p class="nothing">Still being counted/g);

  expect(notices).toHaveLength(1);
  expect(cardsWithout([])).not.toContain('Still being counted');
});

test('channels are parts of one bar, each in a color that marks its row too', () => {
  const rows = [
    { value: 'Search', visitors: 3, visits: 3, events: 0 },
    { value: 'Direct', visitors: 1, visits: 1, events: 0 },
  ];

  const text = cardsOf(new Map([['channel', { rows, total: 2 }]]));

  const [, stack = ''] = /<svg class="stack"[^>]*>(.*?)<\/svg>/.exec(text) ?? [];
  expect(stack).toBe(
    '<rect class="c3" x="0.0%" width="75.0%"><title>Search</title></rect><rect class="c9" x="75.0%" width="25.0%"><title>Direct</title></rect>',
  );
  expect(text.match(/data-value="Direct">.*?<\/svg>/)?.[0]).toContain('<rect class="c9" width="4"');
});

test('there is no bar of channels without visitors', () => {
  expect(cardsWithout([])).not.toContain('class="stack"');
});

test('a list of networks is there if a visit has one', () => {
  const rows = [
    { value: null, visitors: 3, visits: 3, events: 0 },
    { value: 'hosting', visitors: 1, visits: 1, events: 0 },
  ];

  expect(cardsWithout([])).not.toContain('Networks');
  expect(cardsOf(new Map([['network', { rows: rows.slice(0, 1), total: 1 }]]))).not.toContain('Networks');
  expect(cardsOf(new Map([['network', { rows, total: 2 }]]))).toMatch(
    /Networks.*Other networks.*Hosting.*<a href="https:\/\/db-ip.com">IP geolocation by DB-IP<\/a>/s,
  );
});
