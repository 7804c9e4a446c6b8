const DOMAIN_BASE = ['errors.ts', 'ip-address.ts', 'versions.ts'].map((file) => `packages/domain/src/${file}`);
const CALENDAR = 'packages/domain/src/statistics/calendar';
const HIT = 'packages/domain/src/statistics/hit.ts';
const DIMENSIONS = 'packages/domain/src/statistics/dimensions.ts';
const ROUTES = [
  'apps/api/src/authentication',
  'apps/api/src/input.ts',
  'apps/api/src/paging.ts',
  'apps/api/src/versions.ts',
  '@hitherto/domain',
  '@hitherto/http',
  'npm',
];

/**
 * What the source files of each place may import besides node: built-ins and their own place: packages of this repository,
 * other places, or `npm` for the dependencies that the package declares. The longest path that a file lies under counts.
 */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'packages/domain/src': ['ipaddr.js', 'temporal-polyfill'],
  'packages/domain/src/website': [...DOMAIN_BASE, 'packages/domain/src/idempotency', CALENDAR, 'ipaddr.js'],
  'packages/domain/src/idempotency': DOMAIN_BASE,
  'packages/domain/src/access': DOMAIN_BASE,
  'packages/domain/src/statistics/byte-order.ts': [],
  'packages/domain/src/statistics/calendar': [...DOMAIN_BASE, 'temporal-polyfill'],
  'packages/domain/src/statistics/hit.ts': [CALENDAR],
  'packages/domain/src/statistics/dimensions.ts': [HIT],
  'packages/domain/src/statistics/journal': [...DOMAIN_BASE, 'packages/domain/src/idempotency', CALENDAR, HIT],
  'packages/domain/src/statistics/collecting': [
    ...DOMAIN_BASE,
    'packages/domain/src/idempotency',
    'packages/domain/src/website',
    'packages/domain/src/statistics/journal',
    CALENDAR,
    HIT,
    'ipaddr.js',
  ],
  'packages/domain/src/statistics/visits': ['packages/domain/src/statistics/byte-order.ts', CALENDAR, HIT, DIMENSIONS],
  'packages/domain/src/statistics/questions': [
    ...DOMAIN_BASE,
    'packages/domain/src/statistics/visits',
    CALENDAR,
    HIT,
    DIMENSIONS,
  ],
  'packages/domain/src/statistics/definitions': [
    ...DOMAIN_BASE,
    'packages/domain/src/idempotency',
    'packages/domain/src/statistics/questions',
    'packages/domain/src/statistics/byte-order.ts',
    HIT,
  ],
  'packages/domain/src/statistics/engine': [
    'packages/domain/src/job.ts',
    'packages/domain/src/statistics/questions',
    CALENDAR,
    HIT,
    DIMENSIONS,
  ],
  'packages/domain/src/statistics/reading': [
    'packages/domain/src/website',
    'packages/domain/src/statistics/engine',
    CALENDAR,
    HIT,
    DIMENSIONS,
  ],
  'packages/domain/src/statistics/testing.ts': ['packages/domain/src/statistics', 'packages/domain/src/website', 'npm'],
  'packages/domain/src/format': ['packages/domain/src/statistics', 'packages/domain/src/website'],
  'packages/domain/src/transfer': [...DOMAIN_BASE, 'packages/domain/src/access', 'packages/domain/src/website'],

  'packages/http/src/index.ts': ['packages/http/src'],
  'packages/http/src/problems': ['@hitherto/domain', 'npm'],
  'packages/http/src/limits': ['@hitherto/domain', 'npm'],
  'packages/http/src/formats': ['@hitherto/domain', 'npm'],
  'packages/http/src/server': ['packages/http/src/problems', 'packages/http/src/limits', '@hitherto/domain', 'npm'],

  'apps/api/src/api.ts': ['apps/api/src', '@hitherto/domain', '@hitherto/http', 'npm'],
  'apps/api/src': ['@hitherto/domain', '@hitherto/http', 'npm'],
  'apps/api/src/authentication': ['@hitherto/domain', '@hitherto/http', 'npm'],
  'apps/api/src/operations': ['@hitherto/http', 'npm'],
  'apps/api/src/websites': ROUTES,
  'apps/api/src/definitions': [...ROUTES, 'apps/api/src/websites/schemas.ts'],
  'apps/api/src/statistics': [...ROUTES, 'apps/api/src/websites/schemas.ts'],
  'apps/api/src/hits': [...ROUTES, 'apps/api/src/websites/schemas.ts'],

  'apps/collector/src': ['@hitherto/domain', '@hitherto/http', 'npm'],
  'apps/collector/src/tracker': [],
  'apps/pages/src': ['apps/pages/src', '@hitherto/domain', '@hitherto/http', 'npm'],
  'apps/pages/src/shared': ['@hitherto/domain', '@hitherto/http', 'npm'],
  'apps/pages/src/statistics': ['apps/pages/src/shared', '@hitherto/domain', '@hitherto/http', 'npm'],
  'apps/pages/src/reports': [
    'apps/pages/src/shared',
    'apps/pages/src/statistics',
    '@hitherto/domain',
    '@hitherto/http',
    'npm',
  ],
  'apps/pages/src/owner': [
    'apps/pages/src/shared',
    'apps/pages/src/statistics',
    '@hitherto/domain',
    '@hitherto/http',
    'npm',
  ],

  'apps/hitherto/src': [
    '@hitherto/domain',
    '@hitherto/http',
    '@hitherto/api',
    '@hitherto/collector',
    '@hitherto/pages',
    'npm',
  ],
  'apps/hitherto/src/main.ts': ['apps/hitherto/src', '@hitherto/adapters', '@hitherto/embedded-postgres'],

  'packages/adapters/src': ['@hitherto/domain', 'npm'],
  'packages/adapters/src/in-memory': ['packages/adapters/src', '@hitherto/domain', 'npm'],
  'packages/adapters/src/postgres': ['packages/adapters/src', '@hitherto/domain', 'npm'],
  'packages/adapters/src/lookups': ['@hitherto/domain', 'npm'],
  'packages/adapters/src/mail': ['@hitherto/domain', 'npm'],
  'packages/embedded-postgres/src': ['npm'],

  'packages/client/src': ['npm'],
  'packages/testing/src': ['@hitherto/embedded-postgres', 'npm'],
  'packages/bench/src': [
    '@hitherto/adapters',
    '@hitherto/api',
    '@hitherto/collector',
    '@hitherto/domain',
    '@hitherto/embedded-postgres',
    '@hitherto/testing',
    'npm',
  ],
  'packages/faults/src': [
    '@hitherto/adapters',
    '@hitherto/api',
    '@hitherto/domain',
    '@hitherto/embedded-postgres',
    '@hitherto/http',
    '@hitherto/program',
    '@hitherto/testing',
    'npm',
  ],
};
