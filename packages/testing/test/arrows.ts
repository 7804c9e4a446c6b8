/** The packages of this repository that the sources of each package may import. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'packages/words': [],
  'packages/domain': ['words'],
  'packages/wire': ['words', 'domain'],
  'packages/http': ['domain'],
  'packages/postgres': ['domain'],
  'packages/clickhouse': ['domain'],
  'packages/memory': ['domain'],
  'packages/files': ['domain'],
  'packages/outside': ['words', 'domain'],
  'packages/embedded-postgres': [],
  'packages/client': [],
  'packages/tracker': [],
  'apps/api': ['domain', 'wire', 'http'],
  'apps/collector': ['domain', 'http'],
  'apps/pages': ['words', 'domain', 'wire', 'http'],
  'apps/hitherto': [
    ...['words', 'domain', 'wire', 'http', 'api', 'collector', 'pages'],
    ...['postgres', 'clickhouse', 'files', 'outside', 'embedded-postgres'],
  ],
  'packages/testing': ['words', 'domain', 'embedded-postgres'],
  'packages/contracts': ['words', 'domain', 'outside', 'testing'],
  'packages/bench': ['domain', 'postgres', 'outside', 'embedded-postgres', 'testing'],
  'packages/faults': [
    ...['domain', 'postgres', 'clickhouse', 'memory', 'outside', 'embedded-postgres', 'program', 'testing'],
  ],
};

/** Folders whose files only compute: they import each other, the domain and Node's own modules. */
export const PURE: readonly string[] = ['packages/postgres/src/statistics/columns'];

/**
 * The rooms of a package, from the lowest: the files of a room may import their own room and those before it. Files next to
 * the rooms put them together: no room imports them.
 */
export const ROOMS: Readonly<Record<string, string>> = {
  'packages/domain': `base calendar changes websites access people resources hits visits imports engine definitions cleanups reading annotations links recipients
    format tasks checks reports alerts mails webhooks records insight backup repositories files`,
  'packages/http': 'problems limits server',
  'packages/files': 'logs imports',
  'apps/api': `requests operations websites statistics resources brand audit hits imports overview insight plausible mcp`,
  'apps/collector': 'hits tracker foreign',
  'apps/pages': 'shared statistics reports owner people',
  'apps/hitherto': 'installation jobs service cli demo hits logs backup commands',
};
