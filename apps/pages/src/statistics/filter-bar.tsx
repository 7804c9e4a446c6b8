import { type FilterWords, sentenceOf } from '@hitherto/domain/format';
import type { ComponentChildren } from 'preact';
import { AddFilter } from './add-filter-form.tsx';
import type { FilterBarView } from './filter-bar-view.ts';

/** The filters in force, each with a way to remove it, and the ways to choose others. */
export function FilterBar({ bar }: { readonly bar: FilterBarView }) {
  return (
    <section class="filter-bar" aria-label="Filters">
      <Chips bar={bar} />
      <AddFilter form={bar.form} />
      {(bar.segments.length > 0 || bar.owner?.saveHref !== undefined) && <Segments bar={bar} />}
    </section>
  );
}

function Chips({ bar: { filters, segment, match, removeAllHref } }: { readonly bar: FilterBarView }) {
  if (filters.length === 0 && segment === undefined) return null;
  return (
    <ul class="filters">
      {segment !== undefined && (
        <Chip name={`segment ${segment.name}`} removeHref={segment.removeHref} title={segment.sentence}>
          Segment{' '}
          <strong>
            <bdi>{segment.name}</bdi>
          </strong>
          : {segment.sentence}
        </Chip>
      )}
      {filters.map(({ key, words, removeHref }) => (
        <Chip key={key} name={`filter ${sentenceOf(words)}`} removeHref={removeHref} title={sentenceOf(words)}>
          <Sentence words={words} />
        </Chip>
      ))}
      {match !== undefined && (
        <li class="all">
          <span>{match.isAny ? 'Any of them matches' : 'All of them match'}</span>
          <a href={match.otherHref}>{match.isAny ? 'Match all' : 'Match any'}</a>
        </li>
      )}
      {removeAllHref !== undefined && (
        <li class="all">
          <a href={removeAllHref}>Remove all</a>
        </li>
      )}
    </ul>
  );
}

interface ChipProps {
  /** Names the chip for those who cannot see it. */
  readonly name: string;
  readonly removeHref: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

function Chip({ name, removeHref, title, children }: ChipProps) {
  return (
    <li>
      <span class="filter" title={title}>
        {children}
      </span>
      <a href={removeHref}>
        <span class="unseen">Remove the {name}</span>
        <span aria-hidden="true">×</span>
      </a>
    </li>
  );
}

function Sentence({ words: { subject, relation, values } }: { readonly words: FilterWords }) {
  return (
    <>
      <bdi>{subject}</bdi> {relation}{' '}
      {values.map((value, index) => (
        <span key={value}>
          {index > 0 && ' or '}
          <strong>
            <bdi>{value}</bdi>
          </strong>
        </span>
      ))}
    </>
  );
}

/** The segments of the website; every viewer can choose one. */
function Segments({ bar: { segments, owner } }: { readonly bar: FilterBarView }) {
  return (
    <details class="menu">
      <summary>Segments</summary>
      <ul>
        {segments.map(({ name, href, isChosen }) => (
          <li key={href}>
            <a href={href} aria-current={isChosen ? 'true' : undefined}>
              <bdi>{name}</bdi>
            </a>
          </li>
        ))}
        {owner?.saveHref !== undefined && (
          <li>
            <a href={owner.saveHref}>Save these filters as a segment</a>
          </li>
        )}
        {owner !== undefined && segments.length > 0 && (
          <li>
            <a href={owner.segmentsHref}>Change segments</a>
          </li>
        )}
      </ul>
    </details>
  );
}
