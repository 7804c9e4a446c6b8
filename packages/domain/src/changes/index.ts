export * from './change.ts';
export * from './entry.ts';
export * from './idempotency-record.ts';
export * from './idempotency-repository.ts';
