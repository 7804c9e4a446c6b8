import type { Pairs } from '@hitherto/http';

/** The fields of a form, as they were sent. */
export type Form = Readonly<Partial<Pairs>>;

/** A request with a form. */
export type Body = { Body: Form };

/** The value of a field. Of a repeated one the last: a checked checkbox comes after a hidden 0. */
export function valueIn(form: Form, field: string): string | undefined {
  return [form[field]].flat().at(-1);
}

/** The values of all fields. */
export function valuesIn(form: Form): Readonly<Record<string, string>> {
  const values: Record<string, string> = Object.create(null);
  for (const field of Object.keys(form)) values[field] = valueIn(form, field) ?? '';
  return values;
}
