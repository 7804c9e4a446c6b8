// What every package's vitest.config.ts shares: the report that scripts/test.mjs adds up, and limits for slow machines.
export const shared = {
  include: ['test/**/*.test.ts'],
  // Half of the tests wait for a program or a database most of the time.
  maxWorkers: 2,
  // No test changes what its file does not own, so that files may share what they have loaded.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]] as [
    'default',
    ['json', { outputFile: string }],
  ],
};
