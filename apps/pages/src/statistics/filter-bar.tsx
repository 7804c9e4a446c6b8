import { type FilterWords, sentenceOf } from '@hitherto/domain/format';
import type { ComponentChildren } from 'preact';
import { filterOperators, filterSubjects } from '../shared/filter-choices.ts';
import { useLocale } from '../shared/locale.tsx';
import type { FilterBarView, FormFault, FormView, Suggestion } from './filter-bar-view.ts';

/** The filters in force, each with a way to remove it, and the ways to choose others. */
export function FilterBar({ bar }: { readonly bar: FilterBarView }) {
  const { filterBar } = useLocale().words;
  return (
    <section class="filter-bar" aria-label={filterBar.filters}>
      <Chips bar={bar} />
      <AddFilter form={bar.form} />
      {(bar.segments.length > 0 || bar.owner?.saveHref !== undefined) && <Segments bar={bar} />}
    </section>
  );
}

function Chips({ bar: { filters, segment, hidden, match, removeAllHref } }: { readonly bar: FilterBarView }) {
  const locale = useLocale();
  const { filterBar } = locale.words;
  if (filters.length === 0 && segment === undefined && hidden === undefined) return null;
  return (
    <ul class="filters">
      {hidden !== undefined && (
        <Chip
          remove={filterBar.removeFilter(filterBar.hidden[hidden.which])}
          removeHref={hidden.removeHref}
          title={filterBar.hidden[hidden.which]}
        >
          {filterBar.hidden[hidden.which]}
        </Chip>
      )}
      {segment !== undefined && (
        <Chip remove={filterBar.removeSegment(segment.name)} removeHref={segment.removeHref} title={segment.sentence}>
          {filterBar.segment}{' '}
          <strong>
            <bdi>{segment.name}</bdi>
          </strong>
          : {segment.sentence}
        </Chip>
      )}
      {filters.map(({ key, words, removeHref }) => (
        <Chip
          key={key}
          remove={filterBar.removeFilter(sentenceOf(locale, words))}
          removeHref={removeHref}
          title={sentenceOf(locale, words)}
        >
          <Sentence words={words} />
        </Chip>
      ))}
      {match !== undefined && (
        <li class="all">
          <span>{match.isAny ? filterBar.matchesAny : filterBar.matchesAll}</span>
          <a href={match.otherHref}>{match.isAny ? filterBar.matchAll : filterBar.matchAny}</a>
        </li>
      )}
      {removeAllHref !== undefined && (
        <li class="all">
          <a href={removeAllHref}>{filterBar.removeAll}</a>
        </li>
      )}
    </ul>
  );
}

interface ChipProps {
  /** The words of its link for those who cannot see it. */
  readonly remove: string;
  readonly removeHref: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

function Chip({ remove, removeHref, title, children }: ChipProps) {
  return (
    <li>
      <span class="filter" title={title}>
        {children}
      </span>
      <a href={removeHref}>
        <span class="unseen">{remove}</span>
        <span aria-hidden="true">×</span>
      </a>
    </li>
  );
}

function Sentence({ words: { subject, relation, values } }: { readonly words: FilterWords }) {
  const { filters } = useLocale().words;
  return (
    <>
      <bdi>{subject}</bdi> {relation}{' '}
      {values.map((value, index) => (
        <span key={value}>
          {index > 0 && ` ${filters.or} `}
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
  const { filterBar } = useLocale().words;
  return (
    <details class="menu" name="menu">
      <summary>{filterBar.segments}</summary>
      <ul>
        {segments.some(({ href }) => href === undefined) && <li class="hint">{filterBar.removeFirst}</li>}
        {segments.map(({ id, name, href, isChosen }) => (
          <li key={id}>
            {href === undefined ? (
              <bdi>{name}</bdi>
            ) : (
              <a href={href} aria-current={isChosen ? 'true' : undefined}>
                <bdi>{name}</bdi>
              </a>
            )}
          </li>
        ))}
        {owner?.saveHref !== undefined && (
          <li>
            <a href={owner.saveHref}>{filterBar.save}</a>
          </li>
        )}
        {owner?.hideHref !== undefined && (
          <li>
            <a href={owner.hideHref}>{filterBar.hideVisits}</a>
          </li>
        )}
        {owner !== undefined && segments.length > 0 && (
          <li>
            <a href={owner.segmentsHref}>{filterBar.change}</a>
          </li>
        )}
      </ul>
    </details>
  );
}

/** The form that adds a filter. Without scripts, sending it without a value brings the suggestions for its subject. */
function AddFilter({ form }: { readonly form: FormView }) {
  const locale = useLocale();
  const { filterBar } = locale.words;
  const { fields, suggestions } = form;
  const { fault } = fields;
  return (
    <details class="menu add-filter" open={form.isOpen} name="menu">
      <summary>{filterBar.add}</summary>
      <form method="get" action={form.action} data-suggestions={form.suggestionsHref}>
        {form.kept.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <Select name="add" label={filterBar.by} choices={filterSubjects(locale)} chosen={fields.subject} />
        <label class="property-name">
          <span class="unseen">{filterBar.property}</span>
          <input
            name="name"
            value={fields.name}
            maxLength={40}
            placeholder={filterBar.itsName}
            {...(fault?.field === 'name' ? FAULTY : {})}
          />
        </label>
        {fault?.field === 'name' && <Fault fault={fault} />}
        <Select
          name="operator"
          label={filterBar.comparison}
          choices={filterOperators(locale)}
          chosen={fields.operator}
        />
        <label>
          <span class="unseen">{filterBar.value}</span>
          <input
            name="value"
            value={fields.value}
            list="suggestions"
            autocomplete="off"
            placeholder={filterBar.value}
            aria-describedby="filter-hint"
            {...(fault?.field === 'value' ? { ...FAULTY, 'aria-describedby': 'filter-fault filter-hint' } : {})}
          />
        </label>
        <Suggestions suggestions={suggestions} />
        {fault?.field === 'value' && <Fault fault={fault} />}
        <p class="hint" id="filter-hint">
          {filterBar.hint(<code>*</code>, <code>/blog/*</code>)}
        </p>
        <button type="submit">{filterBar.submit}</button>
      </form>
    </details>
  );
}

const FAULTY = { 'aria-invalid': 'true', 'aria-describedby': 'filter-fault' } as const;

function Fault({ fault: { detail } }: { readonly fault: FormFault }) {
  return (
    <p class="fault" id="filter-fault" role="alert">
      {detail}
    </p>
  );
}

/** The values that the browser offers while someone types. */
export function Suggestions({ suggestions }: { readonly suggestions: readonly Suggestion[] }) {
  return (
    <datalist id="suggestions">
      {suggestions.map(({ value, label }) => (
        <option key={value} value={value} label={label === value ? undefined : label} />
      ))}
    </datalist>
  );
}

interface SelectProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly chosen: string;
}

function Select({ name, label, choices, chosen }: SelectProps) {
  return (
    <select name={name} aria-label={label}>
      {choices.map(([value, text]) => (
        <option key={value} value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  );
}
