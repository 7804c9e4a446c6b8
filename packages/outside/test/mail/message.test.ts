import type { ReportMail } from '@hitherto/domain/reports';
import { aPng } from '@hitherto/testing/pictures';
import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { composeReport } from '../../src/mail/mailer.ts';
import { HOSTILE } from './hostile.ts';
import { aMail, aReport, values } from './support.ts';

const FROM = 'Statistics <stats@example.com>';

/** The lines of the head, unfolded. */
function headOf(message: Buffer): string[] {
  const [head = ''] = message.toString().split('\r\n\r\n', 1);
  return head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
}

describe('the message', () => {
  test('has the headers of an automatic weekly mail', async () => {
    const { websiteId } = aReport();

    const head = headOf(await composeReport(FROM, aMail()));

    expect(head.filter((line) => !/^(?:MIME-Version|Content-Type):/.test(line)).sort()).toEqual([
      'Auto-Submitted: auto-generated',
      'Date: Mon, 23 Nov 2026 08:00:00 +0000',
      'From: Statistics <stats@example.com>',
      `List-ID: <${websiteId}.reports.example.com>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
      `List-Unsubscribe: <https://stats.example/reports/unsubscribe?website=${websiteId}&token=${'t'.repeat(43)}>`,
      `Message-ID: <report.2026-W47.${websiteId}@stats.example>`,
      'Subject: example.com: 1,234 visitors last week, 12 % more than before',
      'To: owner@example.com',
    ]);
  });

  test('has the report as text and as HTML', async () => {
    const message = await composeReport(FROM, aMail());

    const { text = '', html, attachments } = await simpleParser(message);
    expect(message.toString()).toMatch(/^Content-Type: multipart\/alternative;/m);
    expect(message.toString().match(/^Content-Type: text\/\w+/gm)).toEqual([
      'Content-Type: text/plain',
      'Content-Type: text/html',
    ]);
    expect(text).toContain('  312  /blog/über-uns\n');
    expect(html).toContain('<bdi>/blog/über-uns</bdi>');
    expect(attachments).toEqual([]);
  });

  test('has the logo of the account in itself, where its HTML shows it', async () => {
    const brand = { name: 'Ægir', accent: null, logo: aPng() };
    const [message, again] = [await composeReport(FROM, aMail({ brand })), await composeReport(FROM, aMail({ brand }))];

    const { html, attachments } = await simpleParser(message, { skipImageLinks: true });
    expect(message.equals(again)).toBe(true);
    expect(attachments).toMatchObject([
      { cid: 'logo@hitherto', contentType: 'image/png', contentDisposition: 'inline', related: true },
    ]);
    expect(attachments[0]?.content.equals(aPng())).toBe(true);
    expect(html).toContain('src="cid:logo@hitherto"');
  });

  test('is identical, byte for byte, for the same mail', async () => {
    const [first, second] = [await composeReport(FROM, aMail()), await composeReport(FROM, aMail())];

    expect(second.equals(first)).toBe(true);
  });

  test('has its id and its unsubscribe link on one line each, as some programs require', async () => {
    const message = (await composeReport(FROM, aMail({ messageId: `${'i'.repeat(200)}@stats.example` }))).toString();

    expect(message).toMatch(/^Message-ID: <i{200}@stats\.example>\r$/m);
    expect(message).toMatch(/^List-Unsubscribe: <https:[^>]+>\r$/m);
  });

  test('offers one-click unsubscribe only with an https address (RFC 8058)', async () => {
    const plain = headOf(await composeReport(FROM, aMail({ unsubscribeUrl: 'http://stats.example/u?token=t' })));
    const none = headOf(await composeReport(FROM, aMail({ unsubscribeUrl: undefined })));

    expect(plain.filter((line) => line.startsWith('List-U'))).toEqual([
      'List-Unsubscribe: <http://stats.example/u?token=t>',
    ]);
    expect(none.filter((line) => line.startsWith('List-U'))).toEqual([]);
  });
});

describe('input from outside', () => {
  test('adds no header, and no line longer than 76 characters in the bodies or 998 in the head', async () => {
    const url = `https://xn--caf-dma.example/${'b'.repeat(1_900)}`;
    const lists = {
      page: values(...HOSTILE.slice(0, 5)),
      source: values(...HOSTILE.slice(5)),
      country: [],
      event: values(...HOSTILE.slice(2, 7)),
    };

    const message = await composeReport(FROM, aMail({ report: aReport({ url, lists }) }));

    const lines = message.toString().split('\r\n');
    const endOfHead = lines.indexOf('');
    expect(headOf(message)).toHaveLength(headOf(await composeReport(FROM, aMail())).length);
    expect(lines.slice(0, endOfHead).filter((line) => line.length > 998)).toEqual([]);
    expect(lines.slice(endOfHead).filter((line) => line.length > 76)).toEqual([]);
    expect(message.toString()).not.toMatch(/[^\r]\n|[^\x20-\x7e\r\n]|^Bcc/m);
  });

  test.each([
    ['the sender', { from: 'A\r\nBcc: x@evil.example\r\n <stats@example.com>' }],
    ['the sender with quotes', { from: '"A\\"\r\nBcc: x@evil.example" <stats@example.com>' }],
    ['the recipient', { to: 'owner@example.com\r\nBcc: x@evil.example' }],
    ['a second recipient', { to: 'owner@example.com, x@evil.example' }],
    ['the id', { messageId: 'id@example.com>\r\nBcc: <x@evil.example' }],
    ['the address to unsubscribe', { unsubscribeUrl: 'https://stats.example/\r\nBcc: x@evil.example>, <https://evil' }],
    ['the website', { report: aReport({ url: 'https://example.com\r\nBcc: x@evil.example' }) }],
  ])(
    '%s cannot add a header or a recipient',
    async (_, { from = FROM, ...mail }: Partial<ReportMail> & { from?: string }) => {
      const message = await composeReport(from, aMail(mail));

      const { to, bcc } = await simpleParser(message);
      expect(headOf(message).filter((line) => /^bcc:/i.test(line))).toEqual([]);
      expect([to].flat().flatMap((group) => group?.value ?? [])).toHaveLength(1);
      expect(bcc).toBeUndefined();
    },
  );

  test('may have non-ASCII names and hosts', async () => {
    const message = await composeReport(
      'Bücher & Söhne 🦊 <stats@exämple.example>',
      aMail({ to: 'owner@bücher.example', report: aReport({ url: 'https://bücher.example' }) }),
    );

    const { from, subject } = await simpleParser(message);
    expect(from?.value).toEqual([{ name: 'Bücher & Söhne 🦊', address: 'stats@exämple.example' }]);
    expect(headOf(message).find((line) => line.startsWith('From:'))).toMatch(/ <stats@xn--exmple-cua\.example>$/);
    expect(headOf(message)).toContain('To: owner@xn--bcher-kva.example');
    expect(headOf(message)).toContain(`List-ID: <${aReport().websiteId}.reports.xn--exmple-cua.example>`);
    expect(subject).toBe('bücher.example: 1,234 visitors last week, 12 % more than before');
  });
});

test('rejects a sender without an address', async () => {
  for (const from of ['', 'Statistics', 'stats@', '<>']) {
    expect(() => composeReport(from, aMail())).toThrow(TypeError);
  }
});
