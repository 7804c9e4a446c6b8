export { composeReport } from './message.ts';
export { createSmtpMailer, type SmtpMailerOptions } from './smtp-mailer.ts';
