import { filterOperators, filterSubjects } from '../../../shared/filter-choices.ts';
import { useLocale } from '../../../shared/locale.tsx';
import { SelectField, TextAreaField, TextField } from '../../field.tsx';
import type { ControlsProps } from '../resource-pages.ts';
import { FILTER_ROWS } from './filter-rows.ts';
import { prefixOf } from './rows.ts';

interface FilterRowProps extends ControlsProps {
  readonly row: number;
}

/** One filter of a segment. */
export function FilterRow({ row, fields, faults }: FilterRowProps) {
  const locale = useLocale();
  const { segment } = locale.words.resources;
  const fieldOf = (field: string) => {
    const name = `${prefixOf(FILTER_ROWS, row)}${field}`;
    return { name, value: fields[name], faults };
  };
  return (
    <fieldset class="card step filter-row">
      <legend>{segment.filter(row + 1)}</legend>
      <SelectField {...fieldOf('subject')} label={segment.subject} options={[['', '–'], ...filterSubjects(locale)]} />
      <SelectField {...fieldOf('operator')} label={segment.comparison} options={filterOperators(locale)} />
      <div class="of-property">
        <TextField {...fieldOf('property')} label={segment.property} dir="auto" autocomplete="off" spellcheck={false} />
      </div>
      {/* A line break at the beginning stands for no value. */}
      <TextAreaField {...fieldOf('values')} label={segment.values} rows={2} dir="auto" />
    </fieldset>
  );
}
