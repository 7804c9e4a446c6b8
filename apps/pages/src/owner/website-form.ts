import { type Fault, InvalidFields, type Privacy, UrlTaken, type Website, type WebsiteInput } from '@hitherto/domain';

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

/** What a form holds; a checkbox that is not ticked is absent. */
export type FormValues = Readonly<Partial<Record<FormField, string>>>;

const PRIVACIES: Readonly<Record<string, Privacy>> = { 0: 'public', 1: 'private', 2: 'password' };
const PRIVACY_NUMBERS: Readonly<Record<Privacy, string>> = { public: '0', private: '1', password: '2' };

/** The domain's names of fields that have another in forms. */
const FIELD_NAMES: Readonly<Record<string, FormField>> = {
  excludedParams: 'exclude_params',
  excludedIps: 'exclude_ips',
};

/** The fields of a body that is a form; a repeated field counts as absent. */
export function readFormValues(body: Readonly<Record<string, unknown>>): FormValues {
  const values: { [Field in FormField]?: string } = {};
  for (const field of FORM_FIELDS) {
    const value = body[field];
    if (typeof value === 'string') values[field] = value;
  }
  return values;
}

/** A form with the settings of a website; its password is never in it. */
export function formOf(website: Website): FormValues {
  return {
    url: website.url,
    privacy: PRIVACY_NUMBERS[website.privacy],
    ...(website.emailReports ? { email: '1' } : {}),
    ...(website.excludeBots ? { exclude_bots: '1' } : {}),
    exclude_params: website.excludedParams.join('\n'),
    exclude_ips: website.excludedIps.join('\n'),
  };
}

/** What a form says, in the domain's words. A password that is left empty stays as it is, unless the form removes it. */
export function inputOf(values: FormValues): WebsiteInput {
  const privacy = PRIVACIES[values.privacy ?? ''];
  const password = values.password || (values.remove_password === '1' ? null : undefined);
  return {
    ...(values.url === undefined ? {} : { url: values.url.trim() }),
    ...(privacy === undefined ? {} : { privacy }),
    ...(password === undefined ? {} : { password }),
    emailReports: values.email === '1',
    excludeBots: values.exclude_bots === '1',
    excludedParams: splitLines(values.exclude_params),
    excludedIps: splitLines(values.exclude_ips),
  };
}

/** The faults of an error by the fields of the form; `undefined` where the error says nothing about fields. */
export function faultsOf(error: unknown): Fault[] | undefined {
  if (error instanceof UrlTaken) {
    return [{ field: 'url', code: 'not_allowed', detail: 'You have a website with this address already.' }];
  }
  if (!(error instanceof InvalidFields)) return undefined;
  return error.faults.map((fault) => ({ ...fault, field: FIELD_NAMES[fault.field] ?? fault.field }));
}

function splitLines(text = ''): string[] {
  return text.split(/\r\n|\n|\r/);
}
