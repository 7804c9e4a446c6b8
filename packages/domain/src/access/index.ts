export * from './access-repository.ts';
export * from './account.ts';
export * from './accounts.ts';
export * from './api-key.ts';
export * from './email-address.ts';
export * from './keys.ts';
export * from './rights.ts';
export * from './roles.ts';
