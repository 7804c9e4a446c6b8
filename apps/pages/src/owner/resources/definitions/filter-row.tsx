import type { Fault } from '@hitherto/domain/base';
import { FILTER_OPERATORS, FILTER_SUBJECTS } from '../../../shared/filter-choices.ts';
import { describedBy, Field } from '../../field.tsx';
import type { ControlsProps } from '../resource-pages.ts';
import { FILTER_ROWS } from './filter-rows.ts';
import { prefixOf } from './rows.ts';

const SUBJECTS = [['', '–'] as const, ...FILTER_SUBJECTS];

interface FilterRowProps extends ControlsProps {
  readonly row: number;
}

/** One filter of a segment. */
export function FilterRow({ row, fields, faults }: FilterRowProps) {
  const prefix = prefixOf(FILTER_ROWS, row);
  const [subject, property, operator, values] = [
    `${prefix}subject`,
    `${prefix}property`,
    `${prefix}operator`,
    `${prefix}values`,
  ];
  return (
    <fieldset class="card step filter-row">
      <legend>Filter {row + 1}</legend>
      <Choice name={subject} label="Subject" options={SUBJECTS} value={fields[subject]} faults={faults} />
      <Choice name={operator} label="Comparison" options={FILTER_OPERATORS} value={fields[operator]} faults={faults} />
      <div class="of-property">
        <Field name={property} label="Name of the property" faults={faults}>
          <input
            id={property}
            name={property}
            dir="auto"
            value={fields[property]}
            autocomplete="off"
            spellcheck={false}
            {...describedBy(property, faults, false)}
          />
        </Field>
      </div>
      <Field name={values} label="Values" faults={faults}>
        <textarea
          id={values}
          name={values}
          rows={2}
          dir="auto"
          spellcheck={false}
          value={beginning(fields[values])}
          {...describedBy(values, faults, false)}
        />
      </Field>
    </fieldset>
  );
}

/** Browsers leave out a line break at the beginning of a textarea, where it stands for no value. */
function beginning(text = ''): string {
  return /^[\r\n]/.test(text) ? `\n${text}` : text;
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly value: string | undefined;
  readonly faults: readonly Fault[];
}

function Choice({ name, label, options, value = '', faults }: ChoiceProps) {
  return (
    <Field name={name} label={label} faults={faults}>
      <select id={name} name={name} {...describedBy(name, faults, false)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}
