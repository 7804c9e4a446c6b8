// What every package's vitest.config.ts shares: the report that scripts/test.mjs adds up, and limits for slow machines.
export const shared = {
  include: ['test/**/*.test.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]] as [
    'default',
    ['json', { outputFile: string }],
  ],
};
