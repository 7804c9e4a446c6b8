export * from './mailer.ts';
export * from './outbox.ts';
export * from './period.ts';
export * from './report.ts';
export * from './secret-repository.ts';
export * from './send-reports.ts';
export * from './test-report.ts';
export * from './unsubscribe.ts';
