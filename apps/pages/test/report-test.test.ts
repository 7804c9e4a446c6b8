import { UNRECORDED } from '@hitherto/domain/changes';
import { type Mailer, MailFailed, type ReportMail } from '@hitherto/domain/reports';
import { ENGLISH } from '@hitherto/words';
import { expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';

const EMAIL = { address: 'ægir@söhne.example', since: new Date('2026-11-01T00:00:00Z') };

/** Pages with a mail server, a website with a visit in the last full week, and a session. */
async function start({ scope = 'write' as const, send, email = EMAIL as typeof EMAIL | null }: Options = {}) {
  const mails: ReportMail[] = [];
  const mailer = { send: send ?? (async (mail: ReportMail) => void mails.push(mail)) };
  const linksOf = async (id: string) => ({ pageUrl: `https://stats.example/${id}`, unsubscribeUrl: undefined });
  const pages = await startPagesForTest({
    reportMailing: { mailer, linksOf, messageHost: 'stats.example', locale: ENGLISH },
  });
  const website = await pages.addWebsite();
  await pages.addHits(website, [{ time: new Date('2026-11-11T12:00:00Z'), day: '2026-11-11' }]);
  await pages.repositories.access.updateAccount(pages.accountId, { email }, UNRECORDED);
  const signIn = async (accountId: string) => {
    const form = { key: await pages.issueKey(accountId, { scope }) };
    return (await pages.send('POST', '/sign-in', { form, headers: ORIGIN })).cookies;
  };
  const cookies = await signIn(pages.accountId);
  const sendTest = (sent = { cookies }) =>
    pages.send('POST', `/websites/${website.id}/report-test`, { ...sent, form: {}, headers: ORIGIN });
  return { pages, website, mails, cookies, signIn, sendTest };
}

interface Options {
  readonly scope?: 'read' | 'write';
  readonly send?: Mailer['send'];
  readonly email?: typeof EMAIL | null;
}

const ORIGIN = { origin: 'https://stats.example' };

test('the button mails the report of the last full week to the account, and spends nothing', async () => {
  const { pages, website, mails, cookies, sendTest } = await start();
  const settings = await pages.send('GET', `/websites/${website.id}`, { cookies });

  const sent = await sendTest();
  const again = await sendTest();
  const said = await pages.send('GET', String(sent.headers.location), { cookies });

  expect(settings.text).toContain('Send a test report');
  expect([sent.status, again.status]).toEqual([303, 303]);
  expect(said.text).toContain('The latest report was sent to ægir@söhne.example.');
  expect(mails).toMatchObject(
    [1, 2].map(() => ({
      to: EMAIL.address,
      report: { websiteId: website.id, period: { name: '2026-W46' }, totals: { visitors: 1 } },
      pageUrl: `https://stats.example/${website.id}`,
      messageId: expect.stringMatching(/^report\.test\.[^@]+@stats\.example$/),
    })),
  );
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(2);
  expect(await pages.repositories.tasks.records('report', website.id)).toEqual([]);
});

test('the page says why nothing was sent', async () => {
  const noServer = await startPagesForTest();
  const website = await noServer.addWebsite();
  const form = { key: await noServer.issueKey(noServer.accountId) };
  const { cookies } = await noServer.send('POST', '/sign-in', { form, headers: ORIGIN });
  const path = `/websites/${website.id}/report-test`;
  const reject = () => Promise.reject(new MailFailed('550 <b>no</b> such user'));

  const unset = await noServer.send('POST', path, { cookies, form: {}, headers: ORIGIN });
  const nowhere = await (await start({ email: null })).sendTest();
  const rejected = await (await start({ send: reject })).sendTest();

  for (const { status } of [unset, nowhere, rejected]) expect(status).toBe(409);
  expect(unset.text).toContain('SMTP_URL, MAIL_FROM and PUBLIC_URL');
  expect(nowhere.text).toContain('Nothing was sent: your account has no e-mail address.');
  expect(rejected.text).toContain('The test report could not be sent: 550 &lt;b>no&lt;/b> such user');
});

test('an account can send three at once, and others theirs', async () => {
  const { pages, mails, cookies, signIn, sendTest } = await start();
  const theirs = await pages.addWebsite({}, pages.otherAccountId);
  await pages.repositories.access.updateAccount(
    pages.otherAccountId,
    { email: { ...EMAIL, address: 'other@example.com' } },
    UNRECORDED,
  );
  for (const _ of [1, 2, 3]) await sendTest();

  const tooMany = await sendTest();
  const path = `/websites/${theirs.id}/report-test`;
  const form = {};
  const other = await pages.send('POST', path, {
    cookies: await signIn(pages.otherAccountId),
    form,
    headers: ORIGIN,
  });
  const foreign = await pages.send('POST', path, { cookies, form, headers: ORIGIN });

  expect([tooMany.status, other.status, foreign.status]).toEqual([429, 303, 404]);
  expect(tooMany.headers['retry-after']).toMatch(/^(1\d|20)$/);
  expect(tooMany.text).toMatch(/Too many test reports\. Send one in \d\d seconds\./);
  expect(mails.map(({ to }) => to)).toEqual([EMAIL.address, EMAIL.address, EMAIL.address, 'other@example.com']);
});

test('a test needs a key that may write, and the own site', async () => {
  const { pages, website, mails, cookies, sendTest } = await start({ scope: 'read' });
  const settings = await pages.send('GET', `/websites/${website.id}`, { cookies });
  const headers = { origin: 'https://other.example' };

  const readOnly = await sendTest();
  const foreign = await pages.send('POST', `/websites/${website.id}/report-test`, { cookies, form: {}, headers });
  const signedOut = await sendTest({ cookies: {} });
  const opened = await pages.send('GET', `/websites/${website.id}/report-test`, { cookies });

  expect(settings.text).not.toContain('Send a test report');
  expect([readOnly.status, foreign.status, signedOut.status]).toEqual([403, 403, 303]);
  expect([opened.status, opened.headers.location]).toEqual([303, `/websites/${website.id}`]);
  expect(mails).toEqual([]);
});
