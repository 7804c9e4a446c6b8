import { checkDueAlerts, createAlert, parseAlert, sendDueAlerts } from '@hitherto/domain/alerts';
import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import { timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import { type NoticeMail, type ReportMail, sendDueReports } from '@hitherto/domain/reports';
import { composeReport } from '@hitherto/outside/mail';
import { newId } from '@hitherto/outside/system';
import { AN_AUTHOR, aCountedHit, aWebsite } from '@hitherto/testing/fixtures';
import { ENGLISH } from '@hitherto/words';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reportLinks } from '../src/service/reports.ts';
import { serveFaces } from './support/faces.ts';

// The links of mails to the page that tells why a number changed, opened as people open them. The website's days are in Auckland.

const ORIGIN = 'https://stats.example';
const website = aWebsite({
  url: 'https://ex.com',
  privacy: 'public',
  timeZone: 'Pacific/Auckland',
  emailReports: true,
  report: 'weekly',
});
const zone = timeZone('UTC');

let faces: Awaited<ReturnType<typeof serveFaces>>;
let now: Date;

beforeEach(async () => {
  now = new Date('2026-11-20T00:00:00Z');
  faces = await serveFaces(() => now);
  const { access, websites } = faces.repositories;
  const email = { address: 'owner@example.com', since: new Date('2026-01-01T00:00:00Z') };
  await access.updateAccount(faces.accountId, { email }, UNRECORDED);
  await websites.insert(faces.accountId, website, UNRECORDED);
});
afterEach(() => faces.app.close());

/** Visitors of a day of the website, at 10:00 there. */
const addVisitors = (day: string, count: number) => {
  const time = new Date(`${day}T10:00:00+13:00`);
  const ofVisitor = { websiteId: website.id, day, time, source: 'Google', name: null, props: null };
  const visitors = Array.from({ length: count }, (_, index) => aCountedHit({ ...ofVisitor, visitor: BigInt(index) }));
  return faces.repositories.hits.add(visitors);
};

/** Opens a link as a visitor who is not signed in. */
const open = async (url: string) => {
  const { status, text } = await faces.send('GET', url.replace(ORIGIN, ''), { headers: { authorization: '' } });
  expect(status).toBe(200);
  const [, sentence = '', compared = ''] =
    /<p class="sentence">([^<]*)<\/p><p class="hint compared">([^<]*)</.exec(text) ?? [];
  return { sentence, compared };
};

describe('the link to why a number changed', () => {
  test('in the mail of a drop leads to the day of the drop, on later days too', async () => {
    const { repositories, accountId } = faces;
    const deps = { ...repositories, zone, now: () => now, newId, author: AN_AUTHOR };
    const mails: NoticeMail[] = [];
    await createAlert(deps, { accountId, websiteId: website.id }, parseAlert({ rule: 'drop' }));
    for (const day of ['2026-10-30', '2026-11-06', '2026-11-13', '2026-11-19']) await addVisitors(day, 60);
    await addVisitors('2026-11-20', 15);
    const pageUrlOf = (id: string) => `${ORIGIN}/statistics/${id}`;
    await checkDueAlerts({ ...deps, pageUrlOf, onFired: () => {} });
    await sendDueAlerts({
      ...deps,
      clock: MONOTONIC_CLOCK,
      mailer: { notify: async (mail) => void mails.push(mail) },
      messageHost: 'stats.example',
      locale: ENGLISH,
      onMail: () => {},
    });
    const [mail] = mails;

    expect(mail?.paragraphs[0]).toContain('15 visitors today so far');
    const url = mail?.link?.url ?? '';
    expect((await open(url)).sentence).toMatch(/^45 fewer visitors: 15 after 60\./);
    now = new Date('2026-11-21T03:00:00Z');
    await addVisitors('2026-11-21', 4);
    expect(await open(url)).toStrictEqual({
      sentence: expect.stringMatching(/^45 fewer visitors: 15 after 60\./),
      compared: 'Compared with 19 Nov.',
    });
  });

  test('in the mail of a week leads to the days of the week, with the numbers of the mail', async () => {
    const mails: ReportMail[] = [];
    await addVisitors('2026-11-09', 2);
    await addVisitors('2026-11-15', 3);
    await addVisitors('2026-11-16', 4);
    await addVisitors('2026-11-22', 9);
    await addVisitors('2026-11-23', 7);
    now = new Date('2026-11-22T21:00:00Z');
    await sendDueReports({
      ...faces.repositories,
      zone,
      now: () => now,
      clock: MONOTONIC_CLOCK,
      mailer: { send: async (mail) => void mails.push(mail) },
      linksOf: reportLinks(ORIGIN, { ...faces.repositories, randomBytes: (size) => Buffer.alloc(size) }),
      messageHost: 'stats.example',
      locale: ENGLISH,
      onReport: () => {},
    });
    const [mail] = mails;
    if (mail === undefined) throw new Error('No mail was sent.');
    const { totals, previous } = mail.report;
    const text = (await composeReport('stats@example.com', mail))
      .toString()
      .replaceAll('=\r\n', '')
      .replaceAll('=3D', '=');

    const [url = ''] = /https:\S*\/change\?\S*/.exec(text) ?? [];

    expect([totals.visitors, previous.visitors]).toStrictEqual([13, 5]);
    expect(await open(url)).toStrictEqual({
      sentence: expect.stringMatching(/^8 more visitors: 13 after 5\./),
      compared: 'Compared with 9 Nov to 15 Nov.',
    });
  });
});
