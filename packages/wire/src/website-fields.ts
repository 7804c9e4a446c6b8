import {
  DEFAULT_SETTINGS,
  SETTING_NAMES,
  type SettingName,
  settingsFrom,
  type WebsiteSettings,
} from '@hitherto/domain/websites';
import { LANGUAGES } from '@hitherto/words';

/** A value in JSON; a form has the same as a string. */
export type FieldValue = number | string | null;

/** How the API and the owner's forms name and write a setting. */
interface SettingField<Value> {
  readonly name: string;
  /** Says which values are accepted; the API's errors repeat it. */
  readonly description: string;
  /** How many numbers from 0 stand for the values; `undefined` if the value is a string. */
  readonly numbers: number | undefined;
  readonly example: FieldValue;
  readonly write: (value: Value) => FieldValue;
  /** The value in a request or a form; `undefined` if it is not accepted. */
  readonly read: (sent: FieldValue) => Value | undefined;
}

/** The settings in requests, responses and forms. */
export const SETTING_FIELDS: { readonly [Name in SettingName]: SettingField<WebsiteSettings[Name]> } = {
  privacy: numbered('privacy', 'Who may see the statistics page', DEFAULT_SETTINGS.privacy, [
    ['public', 'public'],
    ['private', 'private'],
    ['password', 'password'],
  ]),
  emailReports: flag('email', 'Reports by e-mail', DEFAULT_SETTINGS.emailReports),
  report: numbered('report', 'Which reports are sent while "email" is 1', DEFAULT_SETTINGS.report, [
    ['weekly', 'weekly'],
    ['monthly', 'monthly'],
    ['both', 'both'],
  ]),
  excludeBots: flag('exclude_bots', 'Exclude common bots', DEFAULT_SETTINGS.excludeBots),
  excludedParams: lines(
    'exclude_params',
    'Query parameters to exclude: one name per line, at most 1,000 names of at most 255 characters, and 64 KiB in all. "utm_*" is a prefix; a line with just "*" or "&" means all.',
    'utm_*\nref',
  ),
  pageRules: lines(
    'page_rules',
    'How the pages of past and future hits are shown: one rule per line, at most 20, of which the first that fits a page shows it. "/user/* => /user/:id" shows all pages that match the pattern as one, with a ":name" for each "*"; "?filter&sort*" shows pages without these parameters. Stored hits do not change.',
    '/user/* => /user/:id\n?filter',
  ),
  excludedIps: lines(
    'exclude_ips',
    'IP addresses and networks to exclude: one per line, at most 1,000, and 64 KiB in all. IPv4 or IPv6, with or without /prefix, or IPv4 with wildcards such as 203.0.113.*.',
    '203.0.113.7\n2001:db8::/32',
  ),
  timeZone: text(
    'time_zone',
    'The time zone in which the days of the website begin and end: an IANA name; empty for the time zone of the installation (the default of a new website). A change affects later hits only.',
    'Europe/Berlin',
  ),
  aliases: lines(
    'aliases',
    'Names by which trackers of other products know the website: one per line, at most 20, each 1 to 255 printable ASCII characters without spaces, and no name of another website. An id of Umami, a domain or pa-… id of Plausible, matomo:3 for site 3 of Matomo, goatcounter:blog for the code of GoatCounter.',
    'matomo:3\ngoatcounter:blog',
  ),
  embedOrigins: lines(
    'embed_origins',
    'Origins whose pages may show the statistics in a frame: one per line, at most 20, each with scheme and host and, where needed, a port; or a line with just "*" for all.',
    'https://example.com\nhttps://intranet.example:8443',
  ),
  label: text(
    'label',
    'A word of yours by which the list of websites groups them, such as the name of a client: at most 64 characters; empty for none.',
    'Clients',
  ),
  language: text(
    'language',
    `The language of mails about the website to people who have chosen none: ${LANGUAGES.join(', ')}; empty for the language of the installation.`,
    'de',
  ),
  engagement: flag('engagement', 'Measure engaged time and scroll depth', DEFAULT_SETTINGS.engagement),
};

const FIELD_NAMES = new Map<string, string>(SETTING_NAMES.map((name) => [name, SETTING_FIELDS[name].name]));

/** The name of a field, by the domain's name. */
export function fieldNameOf(domainName: string): string {
  return FIELD_NAMES.get(domainName) ?? domainName;
}

/** The fields of the settings, by name. */
export function writeSettings(settings: WebsiteSettings): Record<string, FieldValue> {
  const write = <Name extends SettingName>(name: Name) => SETTING_FIELDS[name].write(settings[name]);
  return Object.fromEntries(SETTING_NAMES.map((name) => [SETTING_FIELDS[name].name, write(name)]));
}

/** The settings in fields. A setting whose field is absent or not accepted is `undefined`. */
export function readSettings(fieldOf: (field: string) => FieldValue | undefined): ReturnType<typeof settingsFrom> {
  return settingsFrom((name) => {
    const { name: field, read } = SETTING_FIELDS[name];
    const sent = fieldOf(field);
    return sent === undefined ? undefined : read(sent);
  });
}

/** A choice among values that numbers stand for. */
function numbered<Value>(
  name: string,
  meaning: string,
  byDefault: Value,
  values: readonly (readonly [Value, word: string])[],
): SettingField<Value> {
  const meanings = values.map(
    ([value, word], number) => `${number} = ${word}${value === byDefault ? ' (the default of a new website)' : ''}`,
  );
  const numberOf = (wanted: Value) => values.findIndex(([value]) => value === wanted);
  return {
    name,
    description: `${meaning}: ${meanings.join(', ')}.`,
    numbers: values.length,
    example: numberOf(byDefault),
    write: numberOf,
    read: (sent) => values.find((_, number) => String(number) === String(sent))?.[0],
  };
}

function flag(name: string, meaning: string, byDefault: boolean): SettingField<boolean> {
  return numbered(name, meaning, byDefault, [
    [false, 'disabled'],
    [true, 'enabled'],
  ]);
}

/** A string, or none. */
function text(name: string, description: string, example: string): SettingField<string | null> {
  return {
    name,
    description,
    numbers: undefined,
    example,
    write: (value) => value,
    read: (sent) => (sent === null ? null : String(sent)),
  };
}

/** A list, one entry a line. */
function lines(name: string, description: string, example: string): SettingField<readonly string[]> {
  return {
    name,
    description,
    numbers: undefined,
    example,
    write: (entries) => (entries.length === 0 ? null : entries.join('\n')),
    read: (sent) => String(sent ?? '').split(/\r\n|\n|\r/),
  };
}
