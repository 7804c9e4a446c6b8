import type { ChangedVisitors, Overview } from '@hitherto/domain/engine';
import { formatValue } from '@hitherto/domain/format';
import type { Dimension } from '@hitherto/domain/hits';
import { valueFilter } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import { useLocale } from '../shared/locale.tsx';
import { changeClass } from './list-card.tsx';
import { hrefOf, isFilteredBy, type Selection, withFilter } from './selection.ts';

/** The dimensions whose largest changes are shown. */
export const CHANGED_DIMENSIONS: readonly Dimension[] = ['source', 'page', 'country'];

const RISES = 3;
const FALLS = 1;

/** A value whose visitors changed much. */
export interface WhatChanged {
  readonly dimension: Dimension;
  readonly label: string;
  /** Filters by the value; absent where no more filters fit. */
  readonly href: string | undefined;
  readonly change: number;
}

/** The largest rises, then the largest fall, without values that the filters name. */
export function whatChanged(
  locale: Locale,
  path: string,
  selection: Selection,
  values: Overview['values'],
): WhatChanged[] {
  const changesOf = (direction: 'rises' | 'falls') =>
    CHANGED_DIMENSIONS.flatMap((dimension) =>
      (values.get(dimension)?.changed?.[direction] ?? []).map((each) => ({ ...each, dimension })),
    )
      .filter(({ dimension, value }) => !isFilteredBy(selection, dimension, value))
      .sort((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)));
  return [...changesOf('rises').slice(0, RISES), ...changesOf('falls').slice(0, FALLS)].map((each) => {
    const { dimension, value } = each;
    const filtered = withFilter(selection, valueFilter(dimension, value));
    return {
      dimension,
      label: formatValue(locale, dimension, value),
      href: filtered && hrefOf(path, filtered),
      change: changeOf(each),
    };
  });
}

function changeOf({ visitors, before }: ChangedVisitors): number {
  return visitors - before;
}

/** The values that changed most, with links that filter, and a link to the explanation. */
export function WhatChangedStrip({
  changes,
  whyHref,
}: {
  readonly changes: readonly WhatChanged[];
  readonly whyHref: string;
}) {
  const { words, format } = useLocale();
  return (
    <section class="what-changed" aria-labelledby="what-changed">
      <h2 id="what-changed">{words.statistics.whatChanged}</h2>
      <ul>
        {changes.map(({ dimension, label, href, change }) => {
          const amount = format.count(Math.abs(change));
          const isMore = change > 0;
          return (
            <li key={`${dimension} ${label}`} title={words.dimensions[dimension].one}>
              {href === undefined ? (
                <bdi>{label}</bdi>
              ) : (
                <a href={href}>
                  <bdi>{label}</bdi>
                </a>
              )}
              <b class={changeClass({ good: isMore })}>
                <span aria-hidden="true">
                  {isMore ? '+' : '\u2212'}
                  {amount}
                </span>
                <span class="unseen">{isMore ? words.change.partMore(amount) : words.change.partFewer(amount)}</span>
              </b>
            </li>
          );
        })}
      </ul>
      <a href={whyHref}>{words.statistics.whyItChanged}</a>
    </section>
  );
}
