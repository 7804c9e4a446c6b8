// Shared by every package's vitest.config.ts: the report that scripts/test.mjs adds up, and limits for slow machines.
export const shared = {
  include: ['test/**/*.test.ts'],
  // Half of the tests wait for a program or a database most of the time.
  maxWorkers: 2,
  // No test changes anything that its file does not own, so files may share loaded modules.
  isolate: false,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A poll that will succeed may take longer than Vitest's second on a busy machine.
  expect: { poll: { timeout: 10_000 } },
  reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]] as [
    'default',
    ['json', { outputFile: string }],
  ],
};
