export * from './deliver.ts';
export * from './event.ts';
export * from './private-address.ts';
export * from './use-cases.ts';
export * from './webhook.ts';
export * from './webhook-client.ts';
export * from './webhook-outbox.ts';
export * from './webhook-repository.ts';
