import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { timeZone } from '@hitherto/domain/calendar';
import { describe, expect, test } from 'vitest';
import { loadSettings, SETTINGS } from '../src/installation/settings.ts';
import { envExample, settingsHelp, settingsTable } from '../src/installation/settings-text.ts';

describe('loadSettings', () => {
  test('has the defaults of api.md, "Operations", when nothing is set', () => {
    expect(loadSettings({ PORT: '' })).toEqual({
      host: '127.0.0.1',
      port: 3000,
      workers: 1,
      databaseUrl: undefined,
      dataDir: './data',
      logLevel: 'info',
      rateLimitPerMinute: 600,
      drainSeconds: 1,
      trustedProxies: undefined,
      timeZone: timeZone('UTC'),
      language: 'en',
      hitsRetentionDays: 400,
      auditRetentionDays: 400,
      publicUrl: undefined,
      oidcSessionHours: 24,
      oidcGroupsClaim: 'groups',
      hasPasswords: true,
      smtpUrl: undefined,
      mailFrom: undefined,
      geoDb: undefined,
      tlsCert: undefined,
      tlsKey: undefined,
    });
  });

  test('reads every variable', () => {
    const env = {
      HOST: '::1',
      PORT: '8443',
      WORKERS: '3',
      DATABASE_URL: 'postgresql:///hitherto?host=/run/postgresql',
      DATA_DIR: '/srv/é data',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PER_MINUTE: '0',
      DRAIN_SECONDS: '0',
      TRUST_PROXY: '127.0.0.1, 2001:db8::/32',
      SCRIPT_PATHS: '/assets/site.js, /a.js',
      HIT_PATHS: '/assets/note,/assets/note',
      TIME_ZONE: 'Europe/Berlin',
      LANGUAGE: 'de',
      HITS_RETENTION_DAYS: '90',
      AUDIT_RETENTION_DAYS: '0',
      PUBLIC_URL: 'https://stats.example/',
      SMTP_URL: 'smtps://us%40er:p%3Aw@[2001:db8::1]:465',
      MAIL_FROM: '"Ægir, Stats" <stats@bücher.example>',
      OIDC_ISSUER: 'https://login.example/realms/staff/',
      OIDC_CLIENT_ID: 'hitherto',
      OIDC_CLIENT_SECRET: 'é secret',
      OIDC_NAME: 'Ægir & Söhne',
      OIDC_SESSION_HOURS: '8',
      OIDC_GROUPS:
        '/stats-owners=default:owner, cn=a: b=Ægir & Söhne:viewer:https://A.example/é/,cn=a: b=Ægir & Söhne:editor',
      OIDC_GROUPS_CLAIM: 'https://login.example/groups',
      PASSWORDS: 'off',
      GEO_DB: '/srv/é.mmdb, /srv/asn.mmdb',
      TLS_CERT: 'cert.pem',
      TLS_KEY: 'key.pem',
    };

    expect(loadSettings(env)).toEqual({
      host: '::1',
      port: 8443,
      workers: 3,
      databaseUrl: 'postgresql:///hitherto?host=/run/postgresql',
      dataDir: '/srv/é data',
      logLevel: 'warn',
      rateLimitPerMinute: 0,
      drainSeconds: 0,
      trustedProxies: ['127.0.0.1', '2001:db8::/32'],
      scriptPaths: ['/assets/site.js', '/a.js'],
      hitPaths: ['/assets/note'],
      timeZone: timeZone('Europe/Berlin'),
      language: 'de',
      hitsRetentionDays: 90,
      auditRetentionDays: 0,
      publicUrl: 'https://stats.example',
      smtpUrl: 'smtps://us%40er:p%3Aw@[2001:db8::1]:465',
      mailFrom: '"Ægir, Stats" <stats@bücher.example>',
      oidcIssuer: 'https://login.example/realms/staff/',
      oidcClientId: 'hitherto',
      oidcClientSecret: 'é secret',
      oidcName: 'Ægir & Söhne',
      oidcSessionHours: 8,
      oidcGroups: [
        { group: 'stats-owners', account: 'default', role: 'owner', website: undefined },
        { group: 'cn=a: b', account: 'Ægir & Söhne', role: 'viewer', website: 'https://a.example/%C3%A9' },
        { group: 'cn=a: b', account: 'Ægir & Söhne', role: 'editor', website: undefined },
      ],
      oidcGroupsClaim: 'https://login.example/groups',
      hasPasswords: false,
      geoDb: ['/srv/é.mmdb', '/srv/asn.mmdb'],
      tlsCert: 'cert.pem',
      tlsKey: 'key.pem',
    });
  });

  test('takes a worker per core for WORKERS=auto', () => {
    expect(loadSettings({ WORKERS: 'auto' }).workers).toBe(availableParallelism());
  });

  test.each([
    ['SCRIPT_PATHS', 'a.js'],
    ['SCRIPT_PATHS', '/docs/a.js'],
    ['SCRIPT_PATHS', '/a/../b.js'],
    ['HIT_PATHS', '/hits'],
    ['HIT_PATHS', '/a,,/b'],
    ['HIT_PATHS', '/a/'],
    ['HIT_PATHS', '/a/:b'],
    ['WORKERS', '0'],
    ['WORKERS', '65'],
    ['WORKERS', 'all'],
    ['PORT', '65536'],
    ['PORT', '080'],
    ['PORT', '1e3'],
    ['HOST', 'http://localhost'],
    ['DATABASE_URL', 'localhost/hitherto'],
    ['LOG_LEVEL', 'INFO'],
    ['RATE_LIMIT_PER_MINUTE', 'unlimited'],
    ['DRAIN_SECONDS', '301'],
    ['DRAIN_SECONDS', '0.5'],
    ['TRUST_PROXY', 'loopback'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['TRUST_PROXY', '1'],
    ['TIME_ZONE', 'Berlin'],
    ['TIME_ZONE', '+01:00'],
    ['LANGUAGE', 'de-AT'],
    ['HITS_RETENTION_DAYS', '1'],
    ['HITS_RETENTION_DAYS', '400 days'],
    ['TLS_KEY', 'key.pem'],
    ['OIDC_ISSUER', 'http://login.example'],
    ['OIDC_ISSUER', 'https://login.example?tenant=x'],
    ['OIDC_ISSUER', 'https://us:er@login.example'],
    ['OIDC_NAME', 'x'.repeat(51)],
    ['OIDC_SESSION_HOURS', '0'],
    ['OIDC_SESSION_HOURS', '721'],
    ['OIDC_GROUPS', 'team'],
    ['OIDC_GROUPS', 'team=default'],
    ['OIDC_GROUPS', 'team=default:admin'],
    ['OIDC_GROUPS', 'team=default:viewer:a.example'],
    ['OIDC_GROUPS', 'team=default:owner:https://a.example'],
    ['OIDC_GROUPS', '/=default:owner'],
    ['OIDC_GROUPS', 'team=default:owner,'],
    ['OIDC_GROUPS_CLAIM', 'a b'],
    ['PASSWORDS', 'no'],
    ['SMTP_URL', 'mail.example:25'],
    ['SMTP_URL', 'https://mail.example'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://:secret@mail.example'],
    ['SMTP_URL', 'smtp://user:se%cret@mail.example'],
    ['SMTP_URL', 'smtp://mail.example/path'],
    ['SMTP_URL', 'smtp://mail.example?pool=true'],
    ['MAIL_FROM', 'stats'],
    ['MAIL_FROM', 'a@example.com, b@example.com'],
    ['MAIL_FROM', 'Stats\r\nBcc: x <stats@example.com>'],
  ])('%s=%s is rejected; the error names the variable and not the value', (name, value) => {
    const load = () => loadSettings({ [name]: value });

    expect(load).toThrow(name);
    // A short value may be part of the explanation.
    expect(load).not.toThrow(value.length > 7 ? value : `"${value}"`);
  });

  const reports = {
    SMTP_URL: 'smtp://user:s3cret@mail.example',
    MAIL_FROM: 'Stats <stats@example.com>',
    PUBLIC_URL: 'http://stats.example',
  };

  const provider = {
    OIDC_ISSUER: 'http://[::1]:8080/realms/staff',
    OIDC_CLIENT_ID: 'hitherto',
    OIDC_CLIENT_SECRET: 's3cret',
    OIDC_NAME: 'Staff',
    PUBLIC_URL: 'http://stats.example',
  };

  test.each([
    { PUBLIC_URL: reports.PUBLIC_URL },
    reports,
    { CLICKHOUSE_URL: 'http://clickhouse.internal:8123' },
    provider,
    { ...provider, OIDC_ISSUER: 'http://localhost:8080', PASSWORDS: 'off' },
  ])('the settings %j are enough', (env) => {
    expect(() => loadSettings(env)).not.toThrow();
  });

  test.each([
    [{ ...reports, PUBLIC_URL: '' }, 'SMTP_URL and MAIL_FROM need PUBLIC_URL, which is not set.'],
    [{ ...reports, MAIL_FROM: '' }, 'SMTP_URL needs MAIL_FROM, which is not set.'],
    [{ ...reports, SMTP_URL: '' }, 'MAIL_FROM needs SMTP_URL, which is not set.'],
    [{ SMTP_URL: reports.SMTP_URL }, 'SMTP_URL needs MAIL_FROM and PUBLIC_URL, which are not set.'],
    [{ CLICKHOUSE_CLUSTER: 'c' }, 'CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL, which is not set.'],
    [
      { OIDC_ISSUER: provider.OIDC_ISSUER, OIDC_NAME: 'Staff' },
      'OIDC_ISSUER and OIDC_NAME need OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and PUBLIC_URL, which are not set.',
    ],
    [{ OIDC_GROUPS: 'staff=default:owner' }, 'OIDC_GROUPS needs OIDC_ISSUER, which is not set.'],
    [{ PASSWORDS: 'off' }, 'PASSWORDS=off needs OIDC_ISSUER, which is not set: nobody could sign in.'],
    [{ TLS_CERT: '/cert.pem' }, 'TLS_CERT needs TLS_KEY, which is not set.'],
  ])('the settings %j are rejected, and the error names only the missing ones', (env, sentence) => {
    expect(() => loadSettings(env)).toThrow(`- ${sentence}`);
  });

  test('reports all faults together, without the password', () => {
    const load = () =>
      loadSettings({ ...reports, SMTP_URL: 'smtp://user:s3cret@mail.example/x', MAIL_FROM: 'x', PORT: 'x' });

    expect(load).toThrow(/PORT.*SMTP_URL.*MAIL_FROM/s);
    expect(load).not.toThrow('s3cret');
    expect(load).not.toThrow('not set');
  });
});

describe('The table of settings', () => {
  const root = join(import.meta.dirname, '../../..');

  test('is the one in docs/settings.md', () => {
    const page = readFileSync(join(root, 'docs/settings.md'), 'utf8');

    const [, table] = /<!-- settings: begin -->\n\n(.*?)\n\n<!-- settings: end -->/s.exec(page) ?? [];

    expect(table).toBe(settingsTable());
  });

  test('is the one in .env.example, whose values are the defaults', () => {
    const file = readFileSync(join(root, '.env.example'), 'utf8');

    const values = Object.fromEntries(
      [...file.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value]) => [name, value]),
    );

    expect(file).toBe(envExample());
    expect(loadSettings(values)).toEqual(loadSettings({}));
  });

  test('is the one in the help', () => {
    const lines = settingsHelp().split('\n');

    expect(lines).toContainEqual(expect.stringMatching(/^ {2}PORT +port to listen on \(3000\)$/));
    for (const { name, meaning } of Object.values(SETTINGS)) {
      expect(lines.find((line) => line.startsWith(`  ${name} `))).toContain(meaning);
    }
  });
});
