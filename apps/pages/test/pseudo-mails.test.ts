import { randomBytes } from 'node:crypto';
import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { sendDueMails } from '@hitherto/domain/mails';
import { invite, makeNotice, NOTICES, requestAddressLink, requestPasswordLink } from '@hitherto/domain/people';
import { RECIPIENT } from '@hitherto/domain/recipients';
import type { NoticeMail } from '@hitherto/domain/reports';
import { createResource } from '@hitherto/domain/resources';
import { newId } from '@hitherto/outside/system';
import { expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';
import { addPeople, GUARDED } from './support/people.ts';
import { pseudoLocale, untranslatedIn } from './support/pseudo-locale.ts';

/** Data of people, websites and the installation in the mails. */
const DATA = ['Ægir', 'Söhne', 'quot', 'https', 'stats.example', 'shop.example', 'Boss', GUARDED.email];

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
  const texts = mails.flatMap(({ subject, title, paragraphs, link }) => [
    subject,
    title,
    ...paragraphs,
    link?.label ?? '',
  ]);
  expect(texts.flatMap(untranslatedIn).filter((word) => !DATA.includes(word))).toEqual([]);
  for (const text of texts.filter((each) => each !== '')) expect(text).toContain('⟦');
});
