import { AliasTaken, type Fault, faultOf, InvalidFields, inWords, UrlTaken } from '@hitherto/domain/base';
import { SETTING_NAMES, type WebsiteInput, type WebsiteSettings } from '@hitherto/domain/websites';
import { fieldNameOf, readSettings, writeSettings } from '@hitherto/wire';
import type { Locale } from '@hitherto/words';
import { type Form, valueIn } from '../shared/form.ts';
import { type PasswordValues, withLostPassword } from './lost-password.tsx';

// The form of a website's settings. Its fields are named as in the API, with the API's numbers and lines.

const SETTINGS = SETTING_NAMES.map(fieldNameOf);

export const FORM_FIELDS: readonly string[] = [
  'url',
  'password',
  'lost_password',
  'no_password',
  'remove_password',
  ...SETTINGS,
];

export interface FormValues extends PasswordValues {
  readonly url?: string;
  readonly [setting: string]: string | undefined;
}

/** The fields of a sent form. */
export function readFormValues(form: Form): FormValues {
  const values: Record<string, string> = {};
  for (const field of FORM_FIELDS) {
    const value = valueIn(form, field);
    if (value !== undefined) values[field] = value;
  }
  return values;
}

/** The name of the hidden field with the value that the form showed in `field`. */
export function shownName(field: string): string {
  return `shown_${field}`;
}

/** The values that the form showed when its page was made; none if it does not say. */
export function readShownValues(form: Form): FormValues {
  return readFormValues(Object.fromEntries(FORM_FIELDS.map((field) => [field, form[shownName(field)]])));
}

/** The values that differ from those shown. An untouched field does not undo a change made elsewhere in the meantime. */
export function changedValues(values: FormValues, shown: FormValues): FormValues {
  const changed: Record<string, string> = {};
  for (const field of FORM_FIELDS) {
    const value = values[field];
    if (value !== undefined && value !== shown[field]) changed[field] = value;
  }
  return changed;
}

/** The form for settings; it never contains the password. */
export function formOf({ url, ...settings }: WebsiteSettings & { readonly url?: string }): FormValues {
  const fields = Object.entries(writeSettings(settings)).map(([field, value]) => [field, String(value ?? '')]);
  return { ...(url === undefined ? {} : { url }), ...Object.fromEntries(fields) };
}

/**
 * The form in the domain's words. As in the API, a field that is absent changes nothing; nor does an empty password,
 * unless the form removes the password. Throws `InvalidFields` if a choice is none of its options.
 */
export function inputOf(values: FormValues): WebsiteInput {
  const settings = readSettings((field) => values[field]);
  const faults = SETTING_NAMES.filter(
    (name) => settings[name] === undefined && values[fieldNameOf(name)] !== undefined,
  );
  if (faults.length > 0) {
    throw new InvalidFields(
      faults.map((field) => ({
        field,
        code: 'not_allowed',
        ...inWords(({ resources }) => resources.segment.unknownOption),
      })),
    );
  }
  const password = values.password || (values.remove_password === '1' ? null : undefined);
  return { ...settings, url: values.url && withScheme(values.url.trim()), password };
}

/** An address as people type it: without a scheme, https is meant. */
function withScheme(address: string): string {
  return address === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`;
}

/** The faults of a form for which saving threw an error, by field; `undefined` if the error is not about fields. */
export function faultsOf(error: unknown, values: FormValues, locale: Locale): readonly Fault[] | undefined {
  const faults = rejectedFields(error);
  return faults && withLostPassword(locale, values, faults);
}

function rejectedFields(error: unknown): Fault[] | undefined {
  if (error instanceof UrlTaken) return [faultOf(error, 'url', 'not_allowed')];
  if (error instanceof AliasTaken) return [faultOf(error, 'aliases', 'not_allowed')];
  if (!(error instanceof InvalidFields)) return undefined;
  return error.faults.map((fault) => ({ ...fault, field: fieldNameOf(fault.field) }));
}
