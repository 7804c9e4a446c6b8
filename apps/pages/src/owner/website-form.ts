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
  const { url, email, exclude_bots: bots, exclude_params: params, exclude_ips: ips } = values;
  const privacy = PRIVACIES.find((known) => String(PRIVACY_NUMBERS[known]) === values.privacy);
  if (privacy === undefined && values.privacy !== undefined) {
    throw new InvalidFields([{ field: 'privacy', code: 'not_allowed', detail: 'Choose one of the three options.' }]);
  }
  const password = values.password || (values.remove_password === '1' ? null : undefined);
  return {
    ...(url === undefined ? {} : { url: url.trim() }),
    ...(privacy === undefined ? {} : { privacy }),
    ...(password === undefined ? {} : { password }),
    ...(email === undefined ? {} : { emailReports: email === '1' }),
    ...(bots === undefined ? {} : { excludeBots: bots === '1' }),
    ...(params === undefined ? {} : { excludedParams: splitLines(params) }),
    ...(ips === undefined ? {} : { excludedIps: splitLines(ips) }),
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
