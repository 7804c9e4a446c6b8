import { type FilterWords, sentenceOf } from '@hitherto/domain/format';
import { ENGLISH } from '@hitherto/words';
import type { ComponentChildren } from 'preact';
import { filterOperators, filterSubjects } from '../shared/filter-choices.ts';
import { useLocale } from '../shared/locale.tsx';
import type { FilterBarView, FormFault, FormView, Suggestion } from './filter-bar-view.ts';

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
        <Chip
          key={key}
          name={`filter ${sentenceOf(ENGLISH, words)}`}
          removeHref={removeHref}
          title={sentenceOf(ENGLISH, words)}
        >
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
    <details class="menu" name="menu">
      <summary>Segments</summary>
      <ul>
        {segments.some(({ href }) => href === undefined) && <li class="hint">Remove a filter to choose a segment.</li>}
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

/** The form that adds a filter. Without scripts, sending it without a value brings the suggestions for its subject. */
function AddFilter({ form }: { readonly form: FormView }) {
  const locale = useLocale();
  const { fields, suggestions } = form;
  const { fault } = fields;
  return (
    <details class="menu add-filter" open={form.isOpen} name="menu">
      <summary>Add a filter</summary>
      <form method="get" action={form.action} data-suggestions={form.suggestionsHref}>
        {form.kept.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <Select name="add" label="Filter by" choices={filterSubjects(locale)} chosen={fields.subject} />
        <label class="property-name">
          <span class="unseen">Name of the property</span>
          <input
            name="name"
            value={fields.name}
            maxLength={40}
            placeholder="Its name"
            {...(fault?.field === 'name' ? FAULTY : {})}
          />
        </label>
        {fault?.field === 'name' && <Fault fault={fault} />}
        <Select name="operator" label="Comparison" choices={filterOperators(locale)} chosen={fields.operator} />
        <label>
          <span class="unseen">Value</span>
          <input
            name="value"
            value={fields.value}
            list="suggestions"
            autocomplete="off"
            placeholder="Value"
            aria-describedby="filter-hint"
            {...(fault?.field === 'value' ? { ...FAULTY, 'aria-describedby': 'filter-fault filter-hint' } : {})}
          />
        </label>
        <Suggestions suggestions={suggestions} />
        {fault?.field === 'value' && <Fault fault={fault} />}
        <p class="hint" id="filter-hint">
          With “is like”, <code>*</code> stands for any characters: <code>/blog/*</code>. Add a filter again for one
          more value.
        </p>
        <button type="submit">Add</button>
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
