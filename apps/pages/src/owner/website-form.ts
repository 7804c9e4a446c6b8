import { type Fault, InvalidFields, UrlTaken, type Website, type WebsiteInput } from '@hitherto/domain';
import { fieldNameOf, PRIVACIES, PRIVACY_NUMBERS, splitLines } from '@hitherto/http';

// The form of a website's settings. Its fields are named as in the API, with the API's numbers and lines.

export const FORM_FIELDS = [
  'url',
  'privacy',
  'password',
  'remove_password',
  'email',
  'exclude_bots',
  'exclude_params',
  'exclude_ips',
] as const;
export type FormField = (typeof FORM_FIELDS)[number];

export type FormValues = Readonly<Partial<Record<FormField, string>>>;

/** The fields in the body of a form. The last of repeated ones counts: a checked checkbox comes after a hidden 0. */
export function readFormValues(body: Readonly<Record<string, unknown>>): FormValues {
  const values: { [Field in FormField]?: string } = {};
  for (const field of FORM_FIELDS) {
    const value: unknown = [body[field]].flat().at(-1);
    if (typeof value === 'string') values[field] = value;
  }
  return values;
}

/** The name of the hidden field with what the form showed in `field`. */
export function shownName(field: FormField): string {
  return `shown_${field}`;
}

/** What the form in `body` showed when its page was made; nothing if it does not say. */
export function readShownValues(body: Readonly<Record<string, unknown>>): FormValues {
  return readFormValues(Object.fromEntries(FORM_FIELDS.map((field) => [field, body[shownName(field)]])));
}

/** The values that differ from those shown. What nobody touched does not undo a change made elsewhere meanwhile. */
export function changedValues(values: FormValues, shown: FormValues): FormValues {
  const changed: { [Field in FormField]?: string } = {};
  for (const field of FORM_FIELDS) {
    const value = values[field];
    if (value !== undefined && value !== shown[field]) changed[field] = value;
  }
  return changed;
}

/** The form for the settings of a website; it never contains the password. */
export function formOf(website: Website): FormValues {
  return {
    url: website.url,
    privacy: String(PRIVACY_NUMBERS[website.privacy]),
    email: website.emailReports ? '1' : '0',
    exclude_bots: website.excludeBots ? '1' : '0',
    exclude_params: website.excludedParams.join('\n'),
    exclude_ips: website.excludedIps.join('\n'),
  };
}

/**
 * The form in the domain's words. As in the API, a field that is absent changes nothing; nor does an empty password,
 * unless the form removes the password. Throws `InvalidFields` if the privacy is none of the three.
 */
export function inputOf(values: FormValues): WebsiteInput {
  const privacy = PRIVACIES.find((known) => String(PRIVACY_NUMBERS[known]) === values.privacy);
  if (privacy === undefined && values.privacy !== undefined) {
    throw new InvalidFields([{ field: 'privacy', code: 'not_allowed', detail: 'Choose one of the three options.' }]);
  }
  const flagOf = (flag: string | undefined) => (flag === undefined ? undefined : flag === '1');
  const linesOf = (text: string | undefined) => (text === undefined ? undefined : splitLines(text));
  return {
    url: values.url?.trim(),
    privacy,
    password: values.password || (values.remove_password === '1' ? null : undefined),
    emailReports: flagOf(values.email),
    excludeBots: flagOf(values.exclude_bots),
    excludedParams: linesOf(values.exclude_params),
    excludedIps: linesOf(values.exclude_ips),
  };
}

/** The faults of an error, by field of the form; `undefined` if the error is not about fields. */
export function faultsOf(error: unknown): Fault[] | undefined {
  if (error instanceof UrlTaken) {
    return [{ field: 'url', code: 'not_allowed', detail: 'You already have a website with this address.' }];
  }
  if (!(error instanceof InvalidFields)) return undefined;
  return error.faults.map((fault) => ({ ...fault, field: fieldNameOf(fault.field) }));
}
