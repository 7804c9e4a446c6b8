import { describe, expect, test } from 'vitest';
import { loadConfig } from '../src/config.ts';

describe('loadConfig', () => {
  test('has the defaults of decisions.md, "Operations", where nothing is set', () => {
    expect(loadConfig({ PORT: '' })).toEqual({
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: undefined,
      dataDir: './data',
      logLevel: 'info',
      rateLimitPerMinute: 600,
      trustedProxies: [],
      tls: undefined,
    });
  });

  test('reads every variable', () => {
    const env = {
      HOST: '::1',
      PORT: '8443',
      DATABASE_URL: 'postgresql:///hitherto?host=/run/postgresql',
      DATA_DIR: '/srv/é data',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PER_MINUTE: '0',
      TRUST_PROXY: '127.0.0.1, 2001:db8::/32',
      TLS_CERT: 'cert.pem',
      TLS_KEY: 'key.pem',
    };

    expect(loadConfig(env)).toEqual({
      host: '::1',
      port: 8443,
      databaseUrl: 'postgresql:///hitherto?host=/run/postgresql',
      dataDir: '/srv/é data',
      logLevel: 'warn',
      rateLimitPerMinute: 0,
      trustedProxies: ['127.0.0.1', '2001:db8::/32'],
      tls: { certFile: 'cert.pem', keyFile: 'key.pem' },
    });
  });

  test.each([
    ['PORT', '65536'],
    ['PORT', '080'],
    ['PORT', '1e3'],
    ['HOST', 'http://localhost'],
    ['DATABASE_URL', 'localhost/hitherto'],
    ['LOG_LEVEL', 'INFO'],
    ['RATE_LIMIT_PER_MINUTE', 'unlimited'],
    ['TRUST_PROXY', 'loopback'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['TRUST_PROXY', '1'],
    ['TLS_KEY', 'key.pem'],
  ])('%s=%s is refused by name, without the value', (name, value) => {
    const load = () => loadConfig({ [name]: value });

    expect(load).toThrow(name);
    expect(load).not.toThrow(new RegExp(`"${value}"`));
  });
});
