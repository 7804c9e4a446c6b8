export * from './send-mails.ts';
