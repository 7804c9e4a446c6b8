import { randomBytes } from 'node:crypto';
import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { sendDueMails } from '@hitherto/domain/mails';
import { parseNewRecipient, RECIPIENT } from '@hitherto/domain/recipients';
import {
  confirmRecipient,
  confirmToken,
  findConfirmation,
  type NoticeMail,
  sendDueReports,
  unsubscribe,
  unsubscribeToken,
} from '@hitherto/domain/reports';
import { createResource, deleteResource, showResource } from '@hitherto/domain/resources';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { anAnnotation } from '@hitherto/testing/fixtures';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { ENGLISH } from '@hitherto/words';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Sending, startSending, TO } from './support/report-sending.ts';
import type { MakeRepositories, TestRepositories } from './support/repositories.ts';

const HOUR_MS = 3_600_000;
const REQUEST = { requestId: null, network: null };

/** Further recipients of reports on an adapter, besides the contract of all resources. */
export function recipientsContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let sending: Sending;
  let websiteId: string;
  let mails: NoticeMail[];

  beforeEach(async () => {
    sending = await startSending(async () => {
      repositories = await makeRepositories();
      return repositories;
    });
    websiteId = await sending.addWebsite({ emailReports: false, privacy: 'public' }, '2026-11-17');
    mails = [];
    sending.now = new Date('2026-11-20T12:00:00.000Z');
  });

  const deps = () => ({
    ...repositories,
    passwords: quickHasher,
    now: () => sending.now,
    newId,
    randomBytes,
    author: COMMAND_LINE,
  });
  const add = (email: string, id = websiteId) =>
    createResource(deps(), RECIPIENT, { accountId: sending.accountId, websiteId: id }, parseNewRecipient({ email }));
  const find = (id: string) =>
    showResource(repositories, RECIPIENT, { accountId: sending.accountId, websiteId }, id).catch(() => undefined);
  const sendMails = () =>
    sendDueMails({
      ...deps(),
      clock: MONOTONIC_CLOCK,
      origin: 'https://stats.example',
      messageHost: 'stats.example',
      locale: ENGLISH,
      linkOf: (kind, token) => `${kind} ${token}`,
      onMail: () => {},
      mailer: { notify: async (mail) => void mails.push(mail) },
    });
  const pass = (hours: number) => sending.pass(hours * HOUR_MS);
  const tokenOf = async (id: string) => {
    const recipient = await find(id);
    if (recipient === undefined) throw new Error('The recipient is gone.');
    return confirmToken(deps(), recipient);
  };
  const confirm = async (id: string) => confirmRecipient(deps(), await tokenOf(id), REQUEST);
  const addConfirmed = async (email: string) => {
    const recipient = await add(email);
    await sendMails();
    await confirm(recipient.id);
    return recipient;
  };
  const sendReports = async (at = '2026-11-23T09:00:00.000Z') => {
    sending.now = new Date(at);
    await sendDueReports(sending.deps());
    return sending.sent.splice(0).map(({ to }) => to);
  };

  describe('a new recipient', () => {
    it('is asked once, in the name of the account, and gets no report before it confirms', async () => {
      const { id } = await add('Client@example.com');
      await sendMails();
      await sendMails();

      expect(mails).toMatchObject([{ to: 'Client@example.com', link: { url: `recipient ${await tokenOf(id)}` } }]);
      expect(mails[0]?.subject).toContain(`${websiteId}.example`);
      expect(mails[0]?.paragraphs[0]).toContain(sending.accountId);
      expect(await find(id)).toMatchObject({ askedAt: sending.now, confirmedAt: null });
      expect(await sendReports()).toEqual([]);
    });

    it('is asked by one of many concurrent instances', async () => {
      for (const name of ['a', 'b', 'c']) await add(`${name}@example.com`);

      await atOnce(10, () => sendMails());

      expect(mails.map(({ to }) => to).toSorted()).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
    });

    it('is not asked again within a day, whoever adds the address', async () => {
      const other = await sending.addWebsite();
      const { id } = await add('client@example.com');
      await sendMails();
      await deleteResource(deps(), RECIPIENT, { accountId: sending.accountId, websiteId }, id);
      await add('CLIENT@example.com');
      await add('client@example.com', other);
      await sendMails();
      pass(23.9);
      await sendMails();
      expect(mails).toHaveLength(1);

      pass(0.2);
      await sendMails();
      pass(23);
      await sendMails();
      expect(mails).toHaveLength(2);
      pass(2);
      await sendMails();
      expect(mails).toHaveLength(3);
    });

    it('is not asked once it is removed', async () => {
      const { id } = await add('client@example.com');
      await repositories.recipients.ask(sending.now);
      await deleteResource(deps(), RECIPIENT, { accountId: sending.accountId, websiteId }, id);
      await sendMails();

      expect(mails).toEqual([]);
    });

    it('stands once at a website, compared without case', async () => {
      await add('client@example.com');

      await expect(add('Client@Example.com')).rejects.toMatchObject({ faults: [{ field: 'email', code: 'repeated' }] });
      for (const text of ['', 'x', 'a@b@c', 'a b@example.com', `${'x'.repeat(250)}@example.com`]) {
        await expect(async () => add(text)).rejects.toMatchObject({ faults: [{ field: 'email' }] });
      }
    });
  });

  describe('the link that confirms', () => {
    it('confirms once, and is in the audit trail, without the address', async () => {
      const { id } = await add('client@example.com');
      await sendMails();

      expect(await confirm(id)).toMatchObject({ recipient: { confirmedAt: sending.now } });
      expect(await confirm(id)).toMatchObject({ recipient: { confirmedAt: sending.now } });

      const { entries } = await repositories.audit.list(wholeAccount(sending.accountId), {}, 10);
      expect(entries.map(({ action, actor }) => [action, actor.type])).toEqual([
        ['recipient.updated', 'confirm_link'],
        ['recipient.created', 'command_line'],
      ]);
      expect(JSON.stringify(entries)).not.toContain('client@');
    });

    it('works for seven days, for this recipient alone, and not before it is mailed', async () => {
      const { id } = await add('client@example.com');
      const early = await tokenOf(id);
      await sendMails();
      const token = await tokenOf(id);

      for (const wrong of [early, '', id, `${id}.`, `${token}x`, token.slice(0, -1), token.replace(id, newId())]) {
        expect(await findConfirmation(deps(), wrong)).toBeUndefined();
      }
      pass(7 * 24 - 0.1);
      expect(await findConfirmation(deps(), token)).toBeDefined();
      pass(0.2);
      expect(await confirmRecipient(deps(), token, REQUEST)).toBeUndefined();
    });

    it('ends with the recipient', async () => {
      const { id } = await add('client@example.com');
      await sendMails();
      const token = await tokenOf(id);
      await deleteResource(deps(), RECIPIENT, { accountId: sending.accountId, websiteId }, id);

      expect(await confirmRecipient(deps(), token, REQUEST)).toBeUndefined();
    });
  });

  describe('a recipient who has confirmed', () => {
    it('gets each report once, whatever the account gets', async () => {
      await addConfirmed('client@example.com');

      const sent = fulfilled(await atOnce(3, () => sendReports())).flat();

      expect(sent).toEqual(['client@example.com']);
      expect(await sendReports('2026-11-23T10:00:00.000Z')).toEqual([]);
    });

    it('gets it under a Message-ID and a link of its own', async () => {
      const { id } = await addConfirmed('client@example.com');
      sending.now = new Date('2026-11-23T09:00:00.000Z');
      await sendDueReports(sending.deps());

      expect(sending.sent).toMatchObject([
        { to: 'client@example.com', messageId: `report.2026-W47.${websiteId}.${id}@stats.example` },
      ]);
    });

    it('gets the reports that the website has, from its confirmation on', async () => {
      await addConfirmed('client@example.com');
      const key = wholeAccount(sending.accountId);
      const website = await repositories.websites.find(key, websiteId);
      if (website === undefined) throw new Error('The website is gone.');
      const updatedAt = new Date(website.updatedAt.getTime() + 1);
      const monthly = { ...website, report: 'monthly', updatedAt } as const;
      await repositories.websites.replace(sending.accountId, monthly, website.updatedAt, UNRECORDED);

      expect(await sendReports()).toEqual([]);
      expect(await sendReports('2026-12-01T09:00:00.000Z')).toEqual(['client@example.com']);
    });

    it('gets none about a week that was over when it confirmed', async () => {
      sending.now = new Date('2026-11-23T08:00:00.000Z');
      await addConfirmed('client@example.com');

      expect(await sendReports()).toEqual([]);
    });

    it('gets no second copy if the account or a member has the address', async () => {
      await addConfirmed(TO.toUpperCase());
      const key = wholeAccount(sending.accountId);
      const website = await repositories.websites.find(key, websiteId);
      if (website === undefined) throw new Error('The website is gone.');
      const updatedAt = new Date(website.updatedAt.getTime() + 1);
      const mailed = { ...website, emailReports: true, updatedAt } as const;
      await repositories.websites.replace(sending.accountId, mailed, website.updatedAt, UNRECORDED);

      expect(await sendReports()).toEqual([TO]);
    });

    it('sees no private annotation and no finding, and no link to a private page', async () => {
      const { accountId } = sending;
      const hidden = await sending.addWebsite({ emailReports: true, privacy: 'private' }, '2026-11-17');
      const { id } = await add('client@example.com', hidden);
      await sendMails();
      const found = await repositories.recipients.findById(id);
      if (found === undefined) throw new Error('The recipient is gone.');
      await confirmRecipient(deps(), await confirmToken(deps(), found.recipient), REQUEST);
      for (const [text, isPublic] of [
        ['secret', false],
        ['told', true],
      ] as const) {
        const annotation = anAnnotation({ id: newId(), day: '2026-11-17', text, isPublic });
        await repositories.annotations.insert({ accountId, websiteId: hidden }, annotation, UNRECORDED);
      }
      sending.now = new Date('2026-11-23T09:00:00.000Z');
      await sendDueReports(
        sending.deps({
          findings: { countOpen: async (ids) => new Map(ids.map((id) => [id, { count: 3, unknownHost: undefined }])) },
        }),
      );

      const mailTo = (to: string) => sending.sent.find((mail) => mail.to === to);
      expect(mailTo('client@example.com')).toMatchObject({
        pageUrl: undefined,
        report: { findings: 0, annotations: [{ text: 'told' }] },
      });
      expect(mailTo(TO)).toMatchObject({ pageUrl: expect.any(String), report: { findings: 3 } });
      expect(mailTo(TO)?.report.annotations).toHaveLength(2);
    });

    it('stops all reports with the link of one, and is asked again only when it is added again', async () => {
      const { id } = await addConfirmed('client@example.com');
      const token = await unsubscribeToken(deps(), websiteId, { kind: 'monthly', recipientId: id });
      const done = () => unsubscribe(deps(), websiteId, token, REQUEST);

      expect(await done()).toMatchObject({ isOn: false, recipientId: id });
      expect(await done()).toMatchObject({ isOn: false });
      pass(48);
      await sendMails();

      expect(await find(id)).toBeUndefined();
      expect(mails).toHaveLength(1);
      expect(await sendReports()).toEqual([]);
      await add('client@example.com');
      await sendMails();
      expect(mails).toHaveLength(2);
    });

    it('that is removed gets no report that was recorded before', async () => {
      const { id } = await addConfirmed('client@example.com');
      sending.now = new Date('2026-11-23T09:00:00.000Z');
      sending.responses = [() => Promise.reject(new Error('The process dies.'))];
      await sendDueReports(sending.deps());
      await deleteResource(deps(), RECIPIENT, { accountId: sending.accountId, websiteId }, id);

      expect(await sendReports('2026-11-23T12:00:00.000Z')).toEqual([]);
    });
  });
}
