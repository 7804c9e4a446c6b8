import type { Fault } from '../base/errors.ts';
import { MAX_ALIAS_LENGTH, MAX_ALIASES, readAlias } from './aliases.ts';
import { MAX_EMBED_ORIGINS, MAX_ORIGIN_BYTES, readEmbedOrigins } from './embedding.ts';
import { readExcludedIp, readExcludedParam } from './exclusions.ts';
import { readLabel } from './label.ts';
import { readLanguage } from './language.ts';
import { type Line, MAX_LINES, MAX_LIST_BYTES, readLines } from './lines.ts';
import { MAX_PAGE_RULES, readPageRule } from './page-rules.ts';
import { readZoneName } from './website-zone.ts';

/** Who may see the statistics page: everyone, only the account, or anyone who knows the page's password. */
export type Privacy = 'public' | 'private' | 'password';

/** The reports about a website. */
export const REPORT_KINDS = ['weekly', 'monthly'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** The settings of a website, next to its url and password. Strings are in normal form; an empty list means none. */
export interface WebsiteSettings {
  readonly privacy: Privacy;
  readonly emailReports: boolean;
  /** Which reports the account gets while `emailReports` is on. */
  readonly report: ReportKind | 'both';
  readonly excludeBots: boolean;
  /** Names of query parameters. */
  readonly excludedParams: readonly string[];
  /** How pages are shown, in order (`readPageRule`). */
  readonly pageRules: readonly string[];
  /** Addresses and networks. */
  readonly excludedIps: readonly string[];
  /** The IANA name of the zone of the website's days; `null` for the installation's. */
  readonly timeZone: string | null;
  /** Names by which other products' trackers and readers know the website; each is unique in the installation. */
  readonly aliases: readonly string[];
  /** The origins whose pages may embed the statistics, or a lone `*` for all. */
  readonly embedOrigins: readonly string[];
  /** A word of the owner's by which websites are grouped, such as the name of a client. */
  readonly label: string | null;
  /** The language of mails about the website to people who have chosen none, by its code; `null` for the installation's. */
  readonly language: string | null;
  /** Whether pages measure for how long they are looked at, and how far. */
  readonly engagement: boolean;
}

export type SettingName = keyof WebsiteSettings;

/** The rules of a setting. */
interface Setting<Value> {
  /** The default of a new website. */
  readonly default: Value;
  /** Tells whether a value from outside, such as a file, has the setting's type. */
  readonly accepts: (value: unknown) => value is Value;
  /** The value in normal form, and its faults. */
  readonly read: (value: Value) => { readonly value: Value; readonly faults: readonly Omit<Fault, 'field'>[] };
}

/**
 * The settings (api.md, "Fields"), in the order of the API. CONTRIBUTING.md, "A setting of a website", tells what
 * else a new one needs.
 */
export const SETTINGS: { readonly [Name in SettingName]: Setting<WebsiteSettings[Name]> } = {
  privacy: choice(['public', 'private', 'password'], 'private'),
  emailReports: choice([false, true], false),
  report: choice([...REPORT_KINDS, 'both'], 'weekly'),
  excludeBots: choice([false, true], true),
  excludedParams: list(linesBy(readExcludedParam)),
  pageRules: list(linesBy(readPageRule, MAX_PAGE_RULES)),
  excludedIps: list(linesBy(readExcludedIp)),
  timeZone: text(readZoneName),
  aliases: list(linesBy(readAlias, MAX_ALIASES)),
  embedOrigins: list(readEmbedOrigins),
  label: text(readLabel),
  language: text(readLanguage),
  engagement: choice([false, true], false),
};

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** Whether the account of a website gets reports of this kind. */
export function hasReports(
  { emailReports, report }: Pick<WebsiteSettings, 'emailReports' | 'report'>,
  kind: ReportKind,
): boolean {
  return emailReports && (report === kind || report === 'both');
}

/** The settings of a new website. */
export const DEFAULT_SETTINGS = settingsFrom((name) => SETTINGS[name].default);

/** The settings that are lists. */
export const LIST_SETTINGS = SETTING_NAMES.filter((name) => Array.isArray(DEFAULT_SETTINGS[name]));

/** The most bytes that the lists of a website take, one entry a line. */
export const MAX_LISTED_BYTES =
  (LIST_SETTINGS.length - 2) * MAX_LIST_BYTES +
  MAX_ALIASES * (MAX_ALIAS_LENGTH + 1) +
  MAX_EMBED_ORIGINS * (MAX_ORIGIN_BYTES + 1);

/** The name of a setting in tables: `excluded_params`. */
export function storedNameOf(name: SettingName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A value for each setting. */
export function settingsFrom(of: <Name extends SettingName>(name: Name) => WebsiteSettings[Name]): WebsiteSettings;
export function settingsFrom(of: <Name extends SettingName>(name: Name) => WebsiteSettings[Name] | undefined): {
  readonly [Name in SettingName]: WebsiteSettings[Name] | undefined;
};
export function settingsFrom(of: (name: SettingName) => unknown): object {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, of(name)]));
}

/** A value of a setting in normal form, and its faults. */
export function readSetting<Name extends SettingName>(
  name: Name,
  value: WebsiteSettings[Name],
): { readonly value: WebsiteSettings[Name]; readonly faults: readonly Fault[] } {
  const read = SETTINGS[name].read(value);
  return { value: read.value, faults: read.faults.map((fault) => ({ field: name, ...fault })) };
}

/** One of a few values. */
function choice<Value>(values: readonly Value[], byDefault: Value): Setting<Value> {
  return {
    default: byDefault,
    accepts: (value): value is Value => values.some((known) => known === value),
    read: (value) => ({ value, faults: [] }),
  };
}

/** A string, or none. */
function text(
  readText: (sent: string | null) => { readonly value: string | null } | { readonly fault: Omit<Fault, 'field'> },
): Setting<string | null> {
  return {
    default: null,
    accepts: (value): value is string | null => typeof value === 'string' || value === null,
    read: (sent) => {
      const read = readText(sent);
      return 'value' in read ? { value: read.value, faults: [] } : { value: null, faults: [read.fault] };
    },
  };
}

/** A list, one entry a line; as input it may have blank lines and duplicates. */
function list(read: Setting<readonly string[]>['read']): Setting<readonly string[]> {
  return {
    default: [],
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
    read,
  };
}

/** Reads a list line by line. */
function linesBy(readLine: (line: string) => Line, maxLines = MAX_LINES): Setting<readonly string[]>['read'] {
  return (lines) => readLines(lines, readLine, maxLines);
}
