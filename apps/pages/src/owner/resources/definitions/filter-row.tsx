import { ENGLISH } from '@hitherto/words';
import { filterOperators, filterSubjects } from '../../../shared/filter-choices.ts';
import { SelectField, TextAreaField, TextField } from '../../field.tsx';
import type { ControlsProps } from '../resource-pages.ts';
import { FILTER_ROWS } from './filter-rows.ts';
import { prefixOf } from './rows.ts';

const SUBJECTS = [['', '–'] as const, ...filterSubjects(ENGLISH)];

interface FilterRowProps extends ControlsProps {
  readonly row: number;
}

/** One filter of a segment. */
export function FilterRow({ row, fields, faults }: FilterRowProps) {
  const fieldOf = (field: string) => {
    const name = `${prefixOf(FILTER_ROWS, row)}${field}`;
    return { name, value: fields[name], faults };
  };
  return (
    <fieldset class="card step filter-row">
      <legend>Filter {row + 1}</legend>
      <SelectField {...fieldOf('subject')} label="Subject" options={SUBJECTS} />
      <SelectField {...fieldOf('operator')} label="Comparison" options={filterOperators(ENGLISH)} />
      <div class="of-property">
        <TextField
          {...fieldOf('property')}
          label="Name of the property"
          dir="auto"
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      {/* A line break at the beginning stands for no value. */}
      <TextAreaField {...fieldOf('values')} label="Values" rows={2} dir="auto" />
    </fieldset>
  );
}
