import { UNRECORDED } from '@hitherto/domain/changes';
import type { Website } from '@hitherto/domain/websites';
import { dueReports } from '@hitherto/testing/fixtures';
import { ENGLISH } from '@hitherto/words';
import { expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';

const ORIGIN = { origin: 'https://stats.example' };
const MONDAY = new Date('2026-11-23T09:00:00Z');
const EMAIL = { address: 'owner@example.com', since: new Date('2026-11-01T00:00:00Z') };

const NO_MAILING = {
  mailer: { send: () => Promise.reject(new Error('Nothing is sent here.')) },
  linksOf: async () => ({ pageUrl: undefined, unsubscribeUrl: undefined }),
  messageHost: 'stats.example',
  locale: ENGLISH,
};

/** Pages with a website whose reports are on, and what its settings page says about them. */
async function start(sendsReports: boolean, overrides: Partial<Website> = {}) {
  const pages = await startPagesForTest({ reportMailing: sendsReports ? NO_MAILING : undefined });
  const website = await pages.addWebsite({ emailReports: true, ...overrides });
  const key = await pages.issueKey(pages.accountId);
  const { cookies } = await pages.send('POST', '/sign-in', { form: { key }, headers: ORIGIN });
  const said = async () => {
    const { text } = await pages.send('GET', `/websites/${website.id}`, { cookies });
    return /<p class="notice"[^>]*>(.*?)<\/p>/.exec(text)?.[1];
  };
  const { access, tasks, outbox } = pages.repositories;
  return { said, website, access, tasks, outbox, accountId: pages.accountId };
}

test('the settings page says why reports are not sent, if they are on', async () => {
  expect(await (await start(false)).said()).toContain('no mail server');
  expect(await (await start(true)).said()).toContain('no e-mail address');
  expect(await (await start(false, { emailReports: false })).said()).toBeUndefined();
});

test('the settings page says that the last report failed, and why, until a report is sent', async () => {
  const { said, access, tasks, outbox, accountId } = await start(true);
  await access.updateAccount(accountId, { email: EMAIL }, UNRECORDED);
  const before = await said();
  await outbox.record([dueReports('2026-W47')], MONDAY);
  const report = await tasks.claim('report', MONDAY, new Date('2026-11-23T09:10:00Z'));
  if (report === undefined) throw new Error('Nothing is due.');

  await tasks.fail(report, { detail: '550 <b>no</b> such user', at: MONDAY }, undefined);
  const failed = await said();
  await tasks.finish(report, 'sent');

  expect(before).toBeUndefined();
  expect(failed).toMatch(/^The report about 16 .*22 Nov.* could not be sent: 550 &lt;b>no&lt;\/b> such user$/);
  expect(await said()).toBeUndefined();
});
