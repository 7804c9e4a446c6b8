import type { NoticeMail } from '@hitherto/domain/reports';
import { ENGLISH } from '@hitherto/words';
import { expect, test } from 'vitest';
import { createSmtpMailer } from '../../src/mail/mailer.ts';
import { startSmtpServer } from './smtp-server.ts';

// Mails about what happened, whose strings are of people.

const HOSTILE =
  'Eve\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script> <img src=x onerror=y> \u202eevil\u0007';

async function receive(
  overrides: Partial<NoticeMail>,
): Promise<{ headers: string; body: string; to: readonly string[] }> {
  const { port, mails } = await startSmtpServer();
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: 'stats@example.com' });
  await mailer.notify({
    to: 'a@example.com',
    locale: ENGLISH,
    subject: 'You are invited',
    title: 'You are invited',
    paragraphs: [],
    lists: [],
    link: undefined,
    messageId: 'mail.1@stats.example',
    date: new Date('2026-11-20T12:00:00Z'),
    ...overrides,
  });
  const [mail] = mails;
  if (mail === undefined) throw new Error('No mail came.');
  const text = mail.message.toString();
  const end = text.indexOf('\r\n\r\n');
  return { headers: text.slice(0, end), body: text.slice(end).replaceAll('=\r\n', ''), to: mail.to };
}

test('names in it are text, on one line, and add no header, recipient or markup', async () => {
  const { headers, body, to } = await receive({
    subject: HOSTILE,
    title: HOSTILE,
    paragraphs: [`“${HOSTILE}” invites you.`],
  });

  expect(to).toEqual(['a@example.com']);
  expect(headers).not.toMatch(/^bcc:/im);
  // The part before is text.
  expect(body.slice(body.indexOf('<!doctype html'))).not.toMatch(/<script|<img/i);
  // U+202E and the bell, as quoted-printable.
  expect(body).not.toMatch(/=E2=80=AE|=07/);
  expect(body).toContain('&lt;script');
});

test('has the address of its link in both parts, and loads nothing', async () => {
  const { body } = await receive({ link: { label: 'Join', url: 'https://stats.example/invitations/token' } });

  expect(body.match(/https:\/\/stats\.example\/invitations\/token/g)?.length).toBeGreaterThanOrEqual(2);
  expect(body).not.toMatch(/\bsrc=|url\(/);
});
