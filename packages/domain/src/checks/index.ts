export * from './check.ts';
export * from './checks.ts';
export * from './finding.ts';
export * from './finding-repository.ts';
export * from './run-checks.ts';
export * from './use-cases.ts';
