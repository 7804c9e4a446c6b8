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

/** The values of a form; an unchecked checkbox is absent. */
export type FormValues = Readonly<Partial<Record<FormField, string>>>;

/** The fields in the body of a form; a repeated field counts as absent. */
export function readFormValues(body: Readonly<Record<string, unknown>>): FormValues {
  const values: { [Field in FormField]?: string } = {};
  for (const field of FORM_FIELDS) {
    const value = body[field];
    if (typeof value === 'string') values[field] = value;
  }
  return values;
}

/** The form for the settings of a website; it never contains the password. */
export function formOf(website: Website): FormValues {
  return {
    url: website.url,
    privacy: String(PRIVACY_NUMBERS[website.privacy]),
    ...(website.emailReports ? { email: '1' } : {}),
    ...(website.excludeBots ? { exclude_bots: '1' } : {}),
    exclude_params: website.excludedParams.join('\n'),
    exclude_ips: website.excludedIps.join('\n'),
  };
}

/** The form in the domain's words. An empty password changes nothing, unless the form removes the password. */
export function inputOf(values: FormValues): WebsiteInput {
  const privacy = PRIVACIES.find((known) => String(PRIVACY_NUMBERS[known]) === values.privacy);
  const password = values.password || (values.remove_password === '1' ? null : undefined);
  return {
    ...(values.url === undefined ? {} : { url: values.url.trim() }),
    ...(privacy === undefined ? {} : { privacy }),
    ...(password === undefined ? {} : { password }),
    emailReports: values.email === '1',
    excludeBots: values.exclude_bots === '1',
    excludedParams: splitLines(values.exclude_params ?? ''),
    excludedIps: splitLines(values.exclude_ips ?? ''),
  };
}

/** The faults of an error, by field of the form; `undefined` if the error is not about fields. */
export function faultsOf(error: unknown): Fault[] | undefined {
  if (error instanceof UrlTaken) {
    return [{ field: 'url', code: 'not_allowed', detail: 'You have a website with this address already.' }];
  }
  if (!(error instanceof InvalidFields)) return undefined;
  return error.faults.map((fault) => ({ ...fault, field: fieldNameOf(fault.field) }));
}
