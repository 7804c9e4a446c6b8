import type { FormFields } from '../resource-pages.ts';

/** Rows of fields that repeat: the names of a row's fields begin with its prefix, such as `step_0_`. */
export interface Rows {
  readonly stem: string;
  readonly max: number;
  /** The fields of a row that nobody has filled in; they mark the row as shown. */
  readonly blank: FormFields;
}

/** Begins the names of the fields of a row, which are counted from 0. */
export function prefixOf({ stem }: Pick<Rows, 'stem'>, row: number): string {
  return `${stem}_${row}_`;
}

/** The rows that the form has. */
export function rowsIn(rows: Rows, fields: FormFields): number[] {
  const all = Array.from({ length: rows.max }, (_, row) => row);
  const last = all.findLast((row) => Object.keys(blankOf(rows, row)).some((name) => fields[name] !== undefined));
  return all.slice(0, (last ?? -1) + 1);
}

/** The form with rows added up to this count. */
export function withRows(rows: Rows, fields: FormFields, count: number): FormFields {
  const { length } = rowsIn(rows, fields);
  const added = Array.from({ length: Math.min(count, rows.max) }, (_, row) => row).slice(length);
  return Object.assign({}, fields, ...added.map((row) => blankOf(rows, row)));
}

/** The form with all fields of two rows in each other's place. */
export function withSwappedRows(rows: Rows, fields: FormFields, one: number, other: number): FormFields {
  const [a, b] = [prefixOf(rows, one), prefixOf(rows, other)];
  const swapped = (name: string) =>
    name.startsWith(a) ? name.replace(a, b) : name.startsWith(b) ? name.replace(b, a) : name;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [swapped(name), value]));
}

function blankOf(rows: Rows, row: number): FormFields {
  return Object.fromEntries(Object.entries(rows.blank).map(([name, value]) => [prefixOf(rows, row) + name, value]));
}
