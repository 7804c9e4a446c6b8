import { availableParallelism } from 'node:os';
import { readUrl } from '@hitherto/domain/base';
import { isLanguage, LANGUAGES } from '@hitherto/words';
import { databaseFileFaults } from './settings-files.ts';
import {
  readFiles,
  readGroups,
  readHttpUrl,
  readIssuer,
  readNetworks,
  readNumber,
  readOrigin,
  readPaths,
  readSender,
  readSmtpUrl,
  readTimeZone,
} from './settings-readers.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const MAX_PORT = 65_535;
const MAX_WORKERS = 64;
const MAX_RATE = 1_000_000;
const MAX_DRAIN_SECONDS = 300;
/** Server hits may be of yesterday, and a day is summarised once it is over. */
const MIN_RETENTION_DAYS = 2;
export const MIN_SECRET_LENGTH = 32;
const MIN_TOKEN_LENGTH = 20;
const MAX_RETENTION_DAYS = 36_500;
const MAX_SESSION_HOURS = 24 * 30;
const MAX_NAME_LENGTH = 50;

/** One setting. The loader, `--help`, `.env.example` and the table of docs/settings.md are made from it. */
export interface Setting<T> {
  /** The environment variable. */
  readonly name: string;
  /** The value if the variable is absent or empty; `undefined` if there is none. */
  readonly default?: string;
  readonly meaning: string;
  /** Continues "NAME must be". */
  readonly accepted: string;
  /** A value for `.env.example`, if there is no default. */
  readonly example?: string;
  /** `undefined` for a string that is not accepted. */
  readonly read: (text: string) => T | undefined;
}

function readWorkers(text: string): number | undefined {
  if (text === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  return readNumber(text, MAX_WORKERS) || undefined;
}

const anyText = (text: string) => text;

/** Every setting of the program (docs/settings.md). To add one, add it here. */
export const SETTINGS = {
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'address to listen on',
    accepted: 'an address or a name, such as 127.0.0.1 or 0.0.0.0',
    read: (text) => (/^[^\s/@[\]]+$/.test(text) ? text : undefined),
  },
  port: {
    name: 'PORT',
    default: '3000',
    meaning: 'port to listen on',
    accepted: `a whole number from 0 to ${MAX_PORT}`,
    read: (text) => readNumber(text, MAX_PORT),
  },
  workers: {
    name: 'WORKERS',
    default: '1',
    meaning: 'processes that serve on the port; auto for one per core',
    accepted: `a whole number from 1 to ${MAX_WORKERS}, or auto`,
    read: readWorkers,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    meaning: 'PostgreSQL to use instead of the embedded one',
    accepted: 'a PostgreSQL URL, such as postgresql://user:password@localhost:5432/hitherto',
    example: 'postgresql://hitherto:password@localhost:5432/hitherto',
    read: (text) => (/^postgres(?:ql)?:$/.test(readUrl(text)?.protocol ?? '') ? text : undefined),
  },
  clickhouseUrl: {
    name: 'CLICKHOUSE_URL',
    meaning: 'experimental: ClickHouse that counts the hits of large installations, instead of PostgreSQL',
    accepted: 'an http or https URL, such as https://user:password@localhost:8443/hitherto',
    example: 'https://hitherto:password@localhost:8443/hitherto',
    read: readHttpUrl,
  },
  clickhouseCluster: {
    name: 'CLICKHOUSE_CLUSTER',
    meaning: 'cluster of CLICKHOUSE_URL on which tables are replicated and distributed',
    accepted: 'the name of a cluster, of letters, digits and underscores',
    example: 'hitherto',
    read: (text) => (/^[a-z_]\w{0,99}$/i.test(text) ? text : undefined),
  },
  dataDir: {
    name: 'DATA_DIR',
    default: './data',
    meaning: 'folder of the embedded PostgreSQL',
    accepted: 'a folder',
    read: anyText,
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: `least severe level to log: ${LOG_LEVELS.join(', ')}`,
    accepted: `one of ${LOG_LEVELS.join(', ')}`,
    read: (text) => LOG_LEVELS.find((level) => level === text),
  },
  rateLimitPerMinute: {
    name: 'RATE_LIMIT_PER_MINUTE',
    default: '600',
    meaning: 'requests per minute and account; 0 turns off this limit and the limit of hits',
    accepted: `a whole number from 1 to ${MAX_RATE}, or 0 for no limit`,
    read: (text) => readNumber(text, MAX_RATE),
  },
  drainSeconds: {
    name: 'DRAIN_SECONDS',
    default: '1',
    meaning: 'seconds that a stopping service still serves requests, while /readyz returns 503',
    accepted: `a whole number from 0 to ${MAX_DRAIN_SECONDS}`,
    read: (text) => readNumber(text, MAX_DRAIN_SECONDS),
  },
  trustedProxies: {
    name: 'TRUST_PROXY',
    meaning: 'proxies whose X-Forwarded-For is trusted: addresses or CIDRs, comma-separated',
    accepted: 'a comma-separated list of addresses or CIDRs, such as 127.0.0.1,10.0.0.0/8',
    example: '127.0.0.1,10.0.0.0/8',
    read: readNetworks,
  },
  scriptPaths: {
    name: 'SCRIPT_PATHS',
    meaning:
      'additional paths of the tracker, comma-separated, for sites where blockers block /script.js; scripts from there send to the first of HIT_PATHS',
    accepted: 'a comma-separated list of paths that are not served yet, such as /assets/site.js',
    example: '/assets/site.js',
    read: readPaths,
  },
  hitPaths: {
    name: 'HIT_PATHS',
    meaning: 'additional paths that accept hits, like /hits, comma-separated',
    accepted: 'a comma-separated list of paths that are not served yet, such as /assets/note',
    example: '/assets/note',
    read: readPaths,
  },
  timeZone: {
    name: 'TIME_ZONE',
    default: 'UTC',
    meaning: 'IANA time zone of the days of websites without their own; a change affects later hits only',
    accepted: 'an IANA time zone, such as Europe/Berlin',
    read: readTimeZone,
  },
  language: {
    name: 'LANGUAGE',
    default: 'en',
    meaning: `language of pages and mails where none is chosen: ${LANGUAGES.join(', ')}`,
    accepted: `one of ${LANGUAGES.join(', ')}`,
    read: (text) => (isLanguage(text) ? text : undefined),
  },
  hitsRetentionDays: {
    name: 'HITS_RETENTION_DAYS',
    default: '400',
    meaning: 'days to keep raw hits and visits; daily summaries stay',
    accepted: `a whole number from ${MIN_RETENTION_DAYS} to ${MAX_RETENTION_DAYS}`,
    read: (text) => {
      const days = readNumber(text, MAX_RETENTION_DAYS);
      return days === undefined || days < MIN_RETENTION_DAYS ? undefined : days;
    },
  },
  auditRetentionDays: {
    name: 'AUDIT_RETENTION_DAYS',
    default: '400',
    meaning: 'days to keep the audit trail; 0 keeps it forever',
    accepted: `a whole number from 1 to ${MAX_RETENTION_DAYS}, or 0 to keep it forever`,
    read: (text) => readNumber(text, MAX_RETENTION_DAYS),
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    meaning: 'public URL of the service; default: the Host header of each request',
    accepted: 'an http or https URL without a path, such as https://stats.example.com',
    example: 'https://stats.example.com',
    read: readOrigin,
  },
  smtpUrl: {
    name: 'SMTP_URL',
    meaning: 'mail server for reports, alerts, invitations and notices; MAIL_FROM and PUBLIC_URL must be set too',
    accepted: 'an SMTP URL, such as smtps://user:password@mail.example.com or smtp://localhost:25',
    example: 'smtps://user:password@mail.example.com',
    read: readSmtpUrl,
  },
  mailFrom: {
    name: 'MAIL_FROM',
    meaning: 'sender of these mails: an e-mail address, with or without a name',
    accepted: 'an e-mail address, such as stats@example.com or Statistics <stats@example.com>',
    example: 'Statistics <stats@example.com>',
    read: readSender,
  },
  setupToken: {
    name: 'SETUP_TOKEN',
    meaning:
      'token of the link that makes the first owner, /setup/TOKEN; otherwise each start makes one, with the embedded PostgreSQL',
    accepted: `a random string of ${MIN_TOKEN_LENGTH} to 200 characters that addresses can have`,
    example: 'use-the-output-of-openssl-rand-hex-32',
    read: (text) => (/^[\w.~-]{20,200}$/.test(text) ? text : undefined),
  },
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    meaning: 'OpenID provider through which people can sign in; its callback is PUBLIC_URL/sign-in/oidc/callback',
    accepted: 'an https URL without a query, such as https://login.example.com/realms/staff; http only on this machine',
    example: 'https://login.example.com/realms/staff',
    read: readIssuer,
  },
  oidcClientId: {
    name: 'OIDC_CLIENT_ID',
    meaning: 'id of this client at the provider',
    accepted: 'the id that the provider shows',
    example: 'hitherto',
    read: anyText,
  },
  oidcClientSecret: {
    name: 'OIDC_CLIENT_SECRET',
    meaning: 'secret of this client at the provider',
    accepted: 'the secret that the provider shows',
    example: 'the-secret-that-the-provider-shows',
    read: anyText,
  },
  oidcName: {
    name: 'OIDC_NAME',
    meaning: 'name of the provider, as in "Sign in with NAME"',
    accepted: `a name of at most ${MAX_NAME_LENGTH} characters`,
    example: 'Example staff',
    read: (text) => ([...text].length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(text) ? text : undefined),
  },
  oidcSessionHours: {
    name: 'OIDC_SESSION_HOURS',
    default: '24',
    meaning: 'hours that a session lasts which began at the provider',
    accepted: `a whole number from 1 to ${MAX_SESSION_HOURS}`,
    read: (text) => readNumber(text, MAX_SESSION_HOURS) || undefined,
  },
  oidcGroups: {
    name: 'OIDC_GROUPS',
    meaning:
      'what groups of the provider give, at each sign-in: GROUP=ACCOUNT:ROLE or GROUP=ACCOUNT:ROLE:WEBSITE, comma-separated',
    accepted:
      'a comma-separated list such as staff=default:owner,clients=agency:viewer:https://a.example; roles are viewer, editor and owner, and owners have all websites',
    example: 'stats-owners=default:owner,clients=agency:viewer:https://a.example',
    read: readGroups,
  },
  oidcGroupsClaim: {
    name: 'OIDC_GROUPS_CLAIM',
    default: 'groups',
    meaning: 'claim of the provider that lists the groups of a person',
    accepted: 'the name of a claim, of at most 100 characters without spaces',
    read: (text) => (/^[\x21-\x7e]{1,100}$/.test(text) ? text : undefined),
  },
  hasPasswords: {
    name: 'PASSWORDS',
    default: 'on',
    meaning: 'off hides and rejects passwords: people sign in through the provider of OIDC_ISSUER',
    accepted: 'on or off',
    read: (text) => (text === 'on' || text === 'off' ? text === 'on' : undefined),
  },
  secretKey: {
    name: 'SECRET_KEY',
    meaning:
      'key that encrypts webhooks, second factors and mailed links; required for these with DATABASE_URL, otherwise kept in DATA_DIR/secret.key',
    accepted: `a random string of at least ${MIN_SECRET_LENGTH} characters`,
    example: 'use-the-output-of-openssl-rand-base64-32',
    read: (text) => (text.length >= MIN_SECRET_LENGTH ? text : undefined),
  },
  webhookAllowPrivate: {
    name: 'WEBHOOK_ALLOW_PRIVATE',
    meaning: 'private networks that webhooks may reach, comma-separated',
    accepted: 'a comma-separated list of addresses or CIDRs, such as 10.0.0.0/8,::1',
    example: '10.0.0.0/8,::1',
    read: readNetworks,
  },
  geoDb: {
    name: 'GEO_DB',
    meaning:
      'MaxMind DB files (.mmdb) of countries and autonomous systems, comma-separated, instead of the data that ships with Hitherto',
    accepted: 'comma-separated files',
    example: '/usr/share/GeoIP/GeoLite2-Country.mmdb,/usr/share/GeoIP/GeoLite2-ASN.mmdb',
    read: readFiles,
  },
  tlsCert: {
    name: 'TLS_CERT',
    meaning: 'PEM file with the certificate chain; the port then speaks HTTPS only',
    accepted: 'a file',
    example: '/etc/hitherto/cert.pem',
    read: anyText,
  },
  tlsKey: {
    name: 'TLS_KEY',
    meaning: 'PEM file with the private key of TLS_CERT',
    accepted: 'a file',
    example: '/etc/hitherto/key.pem',
    read: anyText,
  },
} as const satisfies Record<string, Setting<unknown>>;

/** Settings that must be set together, and the settings that they need in addition, which may be set alone. */
const TOGETHER = [
  { keys: ['tlsCert', 'tlsKey'], needed: [] },
  { keys: ['smtpUrl', 'mailFrom'], needed: ['publicUrl'] },
  { keys: ['clickhouseCluster'], needed: ['clickhouseUrl'] },
  { keys: ['oidcIssuer', 'oidcClientId', 'oidcClientSecret', 'oidcName'], needed: ['publicUrl'] },
  { keys: ['oidcGroups'], needed: ['oidcIssuer'] },
] as const satisfies readonly Record<'keys' | 'needed', readonly (keyof typeof SETTINGS)[]>[];

type ValueOf<S> = S extends { readonly read: (text: string) => infer R }
  ? Exclude<R, undefined> | (S extends { readonly default: string } ? never : undefined)
  : never;

/** The settings, read and checked. */
export type Settings = { readonly [Key in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Key]> };

/** The settings are invalid; the message says for each fault how to fix it, and never contains a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads the settings from environment variables. An empty variable counts as absent.
 *
 * @param check finds faults of one command that depend on the machine, such as an unreadable certificate
 * @throws SettingsError with all faults together
 */
export function loadSettings(
  env: Readonly<Record<string, string | undefined>>,
  check: (settings: Partial<Settings>) => readonly string[] = () => [],
): Settings {
  const faults: string[] = [];
  const entries = Object.entries<Setting<unknown>>(SETTINGS).map(([key, setting]) => {
    const text = env[setting.name] || setting.default;
    const value = text === undefined ? undefined : setting.read(text);
    if (text !== undefined && value === undefined) faults.push(`${setting.name} must be ${setting.accepted}.`);
    return [key, value];
  });
  // Each reader gives the type that `Settings` takes from the table.
  const settings = Object.fromEntries(entries) as Settings;
  for (const { keys, needed } of TOGETHER) {
    const given = namesOf(keys.filter((key) => env[SETTINGS[key].name]));
    const missing = namesOf([...keys, ...needed].filter((key) => !env[SETTINGS[key].name]));
    if (given.length === 0 || missing.length === 0) continue;
    const [verb, isNotSet] = [
      given.length === 1 ? 'needs' : 'need',
      missing.length === 1 ? 'is not set' : 'are not set',
    ];
    faults.push(`${listed(given)} ${verb} ${listed(missing)}, which ${isNotSet}.`);
  }
  if (settings.hasPasswords === false && !env[SETTINGS.oidcIssuer.name]) {
    faults.push('PASSWORDS=off needs OIDC_ISSUER, which is not set: nobody could sign in.');
  }
  if (settings.databaseUrl) faults.push(...databaseFileFaults(SETTINGS.databaseUrl.name, settings.databaseUrl));
  faults.push(...check(settings));
  if (faults.length > 0) throw new SettingsError(['The environment has invalid settings:', ...faults].join('\n- '));
  return settings;
}

function namesOf(keys: readonly (keyof typeof SETTINGS)[]): string[] {
  return keys.map((key) => SETTINGS[key].name);
}

/** `A, B and C` */
function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names);
}

/** Which settings are missing for mail to be sent: `SMTP_URL and MAIL_FROM are not set`. */
export function missingForMail(settings: Settings): string {
  const keys = ['smtpUrl', 'mailFrom', 'publicUrl'] as const;
  return `${listed(namesOf(keys.filter((key) => settings[key] === undefined)))} are not set`;
}
