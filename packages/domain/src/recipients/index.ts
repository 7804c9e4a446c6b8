export * from './recipient.ts';
export * from './recipient-repository.ts';
export * from './recipient-type.ts';
