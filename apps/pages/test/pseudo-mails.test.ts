import { randomBytes } from 'node:crypto';
import { ALERT_RULES, mailOf } from '@hitherto/domain/alerts';
import { MONOTONIC_CLOCK, type StoredText, storedText } from '@hitherto/domain/base';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { sendDueMails } from '@hitherto/domain/mails';
import { invite, makeNotice, NOTICES, requestAddressLink, requestPasswordLink } from '@hitherto/domain/people';
import { RECIPIENT } from '@hitherto/domain/recipients';
import type { NoticeMail } from '@hitherto/domain/reports';
import { createResource } from '@hitherto/domain/resources';
import { attemptDelivery } from '@hitherto/domain/webhooks';
import { newId } from '@hitherto/outside/system';
import { expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';
import { addPeople, GUARDED } from './support/people.ts';
import { pseudoLocale, untranslatedIn } from './support/pseudo-locale.ts';

/** Data of people, websites and the installation in the mails. */
const DATA = ['Ægir', 'Söhne', 'quot', 'https', 'stats.example', 'shop.example', 'Boss', GUARDED.email];

/** Each text of the mails is translated or data. */
function expectTranslated(mails: readonly NoticeMail[], data = DATA) {
  const texts = mails.flatMap(({ subject, title, paragraphs, lists, link }) => [
    ...[subject, ...paragraphs, link?.label ?? '', ...lists.map((list) => list.title)],
    // The address of the website, or a sentence.
    ...(data.includes(title) ? [] : [title]),
  ]);
  const values = mails.flatMap(({ lists }) => lists.flatMap(({ rows }) => rows.map(({ value }) => value)));
  expect([...texts, ...values].flatMap(untranslatedIn).filter((word) => !data.includes(word))).toEqual([]);
  for (const text of texts.filter((each) => each !== '')) expect(text).toContain('⟦');
}

test('every text of every mail to people and recipients is translated or data', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ url: 'https://shop.example' });
  await addPeople(pages, website);
  const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes, author: COMMAND_LINE };
  const found = await deps.people.findByEmail(GUARDED.email);
  if (found === undefined) throw new Error('The person is gone.');
  const person = { ...found, isVerified: true, updatedAt: new Date(found.updatedAt.getTime() + 1) };
  await deps.people.replace(person, found.updatedAt, undefined, undefined);
  for (const kind of NOTICES) {
    const link = { tokenHash: kind.padEnd(64, '0'), purpose: 'sign_in', personId: person.id, email: null } as const;
    const notice = makeNotice(deps, person.id, { kind, account: 'Ægir' });
    await deps.personLinks.insert({ ...link, createdAt: deps.now(), expiresAt: deps.now() }, notice);
  }
  await invite(deps, pages.accountId, { email: 'new@example.com', role: 'viewer', websiteIds: null }, 'Boss', true);
  await requestPasswordLink(deps, GUARDED.email);
  await requestAddressLink(deps, person, 'other@example.com');
  const owner = { accountId: pages.accountId, websiteId: website.id };
  await createResource(deps, RECIPIENT, owner, { email: 'client@example.com' });

  const mails: NoticeMail[] = [];
  await sendDueMails({
    ...deps,
    clock: MONOTONIC_CLOCK,
    origin: 'https://stats.example',
    messageHost: 'stats.example',
    locale: pseudoLocale('rtl'),
    linkOf: (kind, token) => `https://stats.example/${kind}/${token}`,
    onMail: () => {},
    mailer: { notify: async (mail) => void mails.push(mail) },
  });

  expect(mails.length).toBe(NOTICES.length + 4);
  expectTranslated(mails);
});

test('every text of every mail about an alert is, too', () => {
  const at = '2026-11-20T12:00:00.000Z';
  const website = { id: newId(), url: 'https://shop.example' };
  const values = [
    { value: '/é', visitors: 7 },
    { value: null, visitors: 5 },
  ];
  const of = { spike: null, drop: null, silence: null, goal: 'Ægir', dropped: 'foreign_host' } as const;
  const mails = ALERT_RULES.flatMap((rule) =>
    [null, 12].map((usual) => {
      const alert = { ...{ id: newId(), rule, text: 'English', number: 3, usual, hours: 2 }, subject: of[rule] };
      const found = { sources: values, pages: values, pageUrl: 'https://stats.example/statistics' };
      const mail = { accountId: newId(), at, website, alert: { ...alert, ...found } };
      return mailOf(pseudoLocale('rtl'), mail, '2026-11-20', 'owner@example.com', 'id');
    }),
  );

  expectTranslated(mails);
  // Nothing is known of a reason of a later version.
  expect(mails.map(({ paragraphs }) => paragraphs.join()).filter((text) => text.includes('foreign_host'))).toEqual([]);
});

test('every text of every mail about a webhook that was turned off is, too', async () => {
  const pages = await startPagesForTest();
  const { access } = pages.repositories;
  await access.updateAccount(
    pages.accountId,
    { email: { address: 'owner@example.com', since: pages.clock.now() } },
    UNRECORDED,
  );
  const reasons: readonly StoredText[] = [
    storedText('status', 500),
    storedText('gone'),
    storedText('noResponse', 'ECONNREFUSED'),
    storedText('noResponseWithin', 10),
    storedText('privateAddress'),
    storedText('undecryptable'),
    storedText('internal'),
  ];
  const url = 'https://hooks.example/';
  const webhook = { id: newId(), url, format: 'json', secret: null, failingSince: null } as const;
  const mails: NoticeMail[] = [];
  for (const text of reasons) {
    const data = { since: '2026-11-20T12:00:00.000Z', reason: 'English', text };
    const event = { type: 'webhook.disabled', at: pages.clock.now(), data } as const;
    await attemptDelivery(
      {
        access,
        webhookOutbox: { ...pages.repositories.webhookOutbox, finish: async () => {} },
        webhookClient: { send: async () => 200 },
        writeMessage: (_event, _format, url) => ({ url, body: '' }),
        notices: {
          mailer: { notify: async (mail) => void mails.push(mail) },
          messageHost: 'stats.example',
          locale: pseudoLocale('rtl'),
        },
        clock: MONOTONIC_CLOCK,
        now: pages.clock.now,
        onDelivery: () => {},
      },
      { id: newId(), event, attempts: 0, accountId: pages.accountId, webhook, leasedUntil: pages.clock.now() },
    );
  }

  expect(mails.length).toBe(reasons.length);
  expectTranslated(mails);
});
