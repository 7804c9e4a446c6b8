import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** How the service is set (decisions.md, "Operations"). */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** `undefined`: the embedded PostgreSQL, in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  /** Requests a minute and account; 0 for no limit. */
  readonly rateLimitPerMinute: number;
  /** Addresses or CIDRs. */
  readonly trustedProxies: readonly string[];
  /** Paths of PEM files. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

const MAX_PORT = 65_535;
const MAX_RATE = 1_000_000;

/** The settings are not usable; the message names each fault and how to mend it, and never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings from environment variables. A variable that is empty counts as absent.
 *
 * @param tlsFaults says what is wrong with the files of the certificate and the key; without it, they are not looked at
 * @throws ConfigError with all faults together
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  tlsFaults: (files: { certFile: string; keyFile: string }) => string[] = () => [],
): Config {
  const faults: string[] = [];

  /** The variable as `read` understands it, or the default; a value that `read` does not understand is a fault. */
  function setting<T>(name: string, fallback: T, accepted: string, read: (text: string) => T | undefined): T {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    const value = read(text);
    if (value !== undefined) return value;
    faults.push(`${name} must be ${accepted}.`);
    return fallback;
  }

  const given = (text: string) => text;
  const certFile = setting<string | undefined>('TLS_CERT', undefined, 'a file', given);
  const keyFile = setting<string | undefined>('TLS_KEY', undefined, 'a file', given);
  if ((certFile === undefined) !== (keyFile === undefined)) {
    faults.push(
      'TLS_CERT and TLS_KEY must be set together: the files of the certificate chain and of its private key.',
    );
  }

  if (certFile !== undefined && keyFile !== undefined) faults.push(...tlsFaults({ certFile, keyFile }));

  const config: Config = {
    host: setting('HOST', '127.0.0.1', 'an address or a name, such as 127.0.0.1 or 0.0.0.0', readHost),
    port: setting('PORT', 3000, `a whole number from 0 to ${MAX_PORT}`, (text) => readNumber(text, MAX_PORT)),
    databaseUrl: setting<string | undefined>(
      'DATABASE_URL',
      undefined,
      'a PostgreSQL URL, such as postgresql://user:password@localhost:5432/hitherto',
      readDatabaseUrl,
    ),
    dataDir: setting('DATA_DIR', './data', 'a folder', given),
    logLevel: setting('LOG_LEVEL', 'info', `one of ${LOG_LEVELS.join(', ')}`, (text) =>
      LOG_LEVELS.find((level) => level === text),
    ),
    rateLimitPerMinute: setting(
      'RATE_LIMIT_PER_MINUTE',
      600,
      `a whole number from 1 to ${MAX_RATE}, or 0 for no limit`,
      (text) => readNumber(text, MAX_RATE),
    ),
    trustedProxies: setting(
      'TRUST_PROXY',
      [],
      'addresses or CIDRs with commas between them, such as 127.0.0.1,10.0.0.0/8',
      readProxies,
    ),
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
  };
  if (faults.length > 0)
    throw new ConfigError(['The environment has settings that cannot be used:', ...faults].join('\n- '));
  return config;
}

function readNumber(text: string, max: number): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

function readHost(text: string): string | undefined {
  return /^[^\s/@[\]]+$/.test(text) ? text : undefined;
}

function readDatabaseUrl(text: string): string | undefined {
  return URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol) ? text : undefined;
}

function readProxies(text: string): string[] | undefined {
  const entries = text.split(',').map((entry) => entry.trim());
  const isNetwork = (entry: string) => isIP(entry.split('/')[0] ?? '') > 0 && ipaddr.isValidCIDR(entry);
  return entries.every((entry) => isIP(entry) > 0 || isNetwork(entry)) ? entries : undefined;
}
