export type { AccessRepository } from './access/access-repository.ts';
export type { Account } from './access/account.ts';
export { type ApiKey, covers, hashKey, isUsable, type Scope } from './access/api-key.ts';
export {
  type AccessDependencies,
  authenticate,
  createAccount,
  deleteAccount,
  issueKey,
  type KeyOptions,
  listAccounts,
  listKeys,
  revokeKey,
} from './access/use-cases.ts';
export {
  DomainError,
  type DomainErrorCode,
  type Fault,
  type FaultCode,
  InvalidFields,
  MAX_FAULTS,
  UrlTaken,
  unavailable,
} from './errors.ts';
export type { Transfer, TransferCounts, TransferItem } from './transfer/transfer.ts';
export { IDEMPOTENCY_WINDOW_MS, type StoreRecord } from './website/idempotency.ts';
export type { PasswordHasher } from './website/password-hasher.ts';
export {
  createWebsite,
  createWebsiteOnce,
  deleteWebsite,
  listWebsites,
  type Precondition,
  type StoreOutcome,
  showWebsite,
  updateWebsite,
  type WebsiteDependencies,
} from './website/use-cases.ts';
export {
  type NewWebsite,
  type Privacy,
  parseNewWebsite,
  parseWebsiteChanges,
  passwordRequired,
  type Website,
  type WebsiteChanges,
  type WebsiteInput,
} from './website/website.ts';
export {
  COUNT_LIMIT,
  type Cut,
  type WebsiteFilter,
  type WebsitePage,
  type WebsiteRepository,
} from './website/website-repository.ts';
export { addressOf, foldCase, searchTextOf } from './website/website-url.ts';
