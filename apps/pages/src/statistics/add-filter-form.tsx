import { FILTER_OPERATORS, FILTER_SUBJECTS } from '../shared/filter-choices.ts';
import type { Suggestion } from './add-filter.ts';
import type { FormView } from './filter-bar-view.ts';

/** The form that adds a filter. Without scripts, sending it without a value brings the suggestions for its subject. */
export function AddFilter({ form }: { readonly form: FormView }) {
  const { fields, suggestions } = form;
  return (
    <details class="menu add-filter" open={form.isOpen}>
      <summary>Add a filter</summary>
      <form method="get" action={form.action} data-suggestions={form.suggestionsHref}>
        {form.kept.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <Select name="add" label="Filter by" choices={FILTER_SUBJECTS} chosen={fields.subject} />
        <label class="property-name">
          <span class="unseen">Name of the property</span>
          <input name="name" value={fields.name} maxLength={40} placeholder="Its name" />
        </label>
        <Select name="operator" label="Comparison" choices={FILTER_OPERATORS} chosen={fields.operator} />
        <label>
          <span class="unseen">Value</span>
          <input
            name="value"
            value={fields.value}
            list="suggestions"
            autocomplete="off"
            placeholder="Value"
            aria-invalid={fields.fault === undefined ? undefined : 'true'}
            aria-describedby={fields.fault === undefined ? 'filter-hint' : 'filter-fault filter-hint'}
          />
        </label>
        <Suggestions suggestions={suggestions} />
        {fields.fault !== undefined && (
          <p class="fault" id="filter-fault" role="alert">
            {fields.fault}
          </p>
        )}
        <p class="hint" id="filter-hint">
          With “is like”, <code>*</code> stands for any characters: <code>/blog/*</code>. Add a filter again for one
          more value.
        </p>
        <button type="submit">Add</button>
      </form>
    </details>
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
