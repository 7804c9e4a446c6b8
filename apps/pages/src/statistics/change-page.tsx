import { ENGLISH } from '@hitherto/words';
import type { Who } from '../shared/who.ts';
import type { ChangeView, PartView } from './change-view.ts';
import type { FilterBarView } from './filter-bar-view.ts';
import { PageBelow } from './page-below.tsx';
import type { RejectedDays } from './selection.ts';

interface ChangePageProps {
  readonly view: ChangeView;
  readonly who: Who | undefined;
  readonly filters: FilterBarView;
  readonly rejectedDays: RejectedDays | undefined;
}

/** Why a number changed (pages.md). */
export function ChangePage({ view, who, filters, rejectedDays }: ChangePageProps) {
  const { sentence, compared, comparisons, parts, along, ours } = view;
  const [best, ...others] = parts;
  return (
    <PageBelow {...view} title="Why it changed" who={who} filters={filters} rejectedDays={rejectedDays}>
      <section class="card change-head" aria-label="The change">
        <p class="sentence">{sentence}</p>
        <p class="hint compared">{compared}</p>
        <nav class="list-foot" aria-label="Comparison">
          <span class="pager">
            {comparisons.map(({ name, href, isChosen }) => (
              <a key={href} href={href} aria-current={isChosen ? 'true' : undefined}>
                {name}
              </a>
            ))}
          </span>
        </nav>
      </section>
      {ours.length > 0 && (
        <section class="card change-ours" aria-label="Changed and noted in these days">
          <h2>Changed and noted in these days</h2>
          <ul>
            {ours.map(({ at, text }) => (
              <li key={`${at} ${text}`}>
                {at !== '' && <strong>{at} </strong>}
                <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div class="cards">
        {best !== undefined && <PartCard part={best} />}
        {along !== undefined && <PartCard part={along} />}
        {others.map((part) => (
          <PartCard key={part.title} part={part} />
        ))}
      </div>
    </PageBelow>
  );
}

function PartCard({ part: { title, head, rows, isAddedUp } }: { readonly part: PartView }) {
  return (
    <section class="card lists" aria-label={title}>
      <div class="list">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{head}</th>
              <th scope="col">Before</th>
              <th scope="col">Now</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ label, href, before, after, change }) => (
              <tr key={label}>
                <th scope="row">
                  {href === undefined ? (
                    <span class="label">
                      <bdi>{label}</bdi>
                    </span>
                  ) : (
                    <a class="label" href={href} title={label}>
                      <bdi>{label}</bdi>
                    </a>
                  )}
                </th>
                <td>{ENGLISH.format.count(before)}</td>
                <td>{ENGLISH.format.count(after)}</td>
                <td>{signed(change)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {!isAddedUp && <p class="hint">A visit has several of these, so they do not add up to the whole.</p>}
      </div>
    </section>
  );
}

function signed(change: number): string {
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '\u2212'}${ENGLISH.format.count(Math.abs(change))}`;
}
