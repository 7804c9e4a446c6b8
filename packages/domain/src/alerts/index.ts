export * from './alert.ts';
export * from './alert-mail.ts';
export * from './alert-repository.ts';
export * from './alert-type.ts';
export * from './check-alerts.ts';
export * from './fired-alert.ts';
export * from './rules.ts';
export * from './send-alerts.ts';
export { chatTextOf, mailOf } from './words.ts';
