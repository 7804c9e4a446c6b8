import { randomBytes } from 'node:crypto';
import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { deleteOldMails, type SendMailsDependencies, sendDueMails } from '@hitherto/domain/mails';
import {
  findPersonLink,
  invite,
  makeNotice,
  NOTICES,
  type Notice,
  type Person,
  type PersonMail,
  requestAddressLink,
  requestPasswordLink,
  revokeInvitation,
} from '@hitherto/domain/people';
import { MailFailed, type NoticeMail } from '@hitherto/domain/reports';
import type { ClaimedTask, TaskResult } from '@hitherto/domain/tasks';
import { newId } from '@hitherto/outside/system';
import { aMember, anApp, anInvitation, aPerson } from '@hitherto/testing/people';
import { ENGLISH } from '@hitherto/words';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
const MINUTE_MS = 60_000;

/** The behaviour of `sendDueMails` on an adapter. */
export function sendMailsContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let time: Date;
  let mails: NoticeMail[];
  let results: TaskResult[];
  let faults: Error[];

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    [time, mails, results, faults] = [NOON, [], [], []];
  });

  const now = () => time;
  const sender = (): SendMailsDependencies => ({
    ...repositories,
    randomBytes,
    clock: MONOTONIC_CLOCK,
    now,
    origin: 'https://stats.example',
    messageHost: 'stats.example',
    locale: ENGLISH,
    linkOf: (kind, token) => `https://stats.example/${kind}/${token}`,
    onMail: (_task: ClaimedTask, result: TaskResult) => results.push(result),
    mailer: {
      async notify(mail) {
        const fault = faults.shift();
        if (fault !== undefined) throw fault;
        mails.push(mail);
      },
    },
  });
  const sendAfter = async (minutes: number) => {
    time = new Date(time.getTime() + minutes * MINUTE_MS);
    await sendDueMails(sender());
  };
  const addPerson = async (overrides: Partial<Person> = {}): Promise<Person> => {
    const person = aPerson({ isVerified: true, ...overrides });
    const invitation = anInvitation({ accountId, email: person.email });
    await repositories.people.insertInvitation(invitation, UNRECORDED);
    const member = aMember({ accountId, personId: person.id });
    await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
    return person;
  };
  const noticeTo = (personId: string, notice: Notice = { kind: 'password_changed' }) =>
    makeNotice({ now, newId }, personId, notice);
  /** Records a notice with the removal of another member. */
  const notify = async (personId: string, notice?: Notice) => {
    const removed = await addPerson();
    await repositories.people.deleteMember(accountId, removed.id, UNRECORDED, noticeTo(personId, notice));
  };

  describe('a notice', () => {
    it.each(NOTICES)('of the kind %s goes to the person once', async (kind) => {
      const { id, email } = await addPerson();
      await notify(id, { kind, account: 'Ægir & Söhne 🦊' });
      await sendAfter(0);
      await sendAfter(1);

      expect(mails).toMatchObject([{ to: email, lists: [], date: NOON }]);
      expect(mails[0]?.paragraphs.join(' ')).toContain('https://stats.example');
      expect(mails[0]?.messageId).toMatch(/^mail\.[\da-f-]{36}@stats\.example$/);
    });

    it('is recorded with the change that it is about, and not without it', async () => {
      const { people, secondFactors, passkeys } = repositories;
      const person = await addPerson();
      const changed = { ...person, name: 'other', updatedAt: new Date(person.updatedAt.getTime() + 1) };
      const app = anApp({ personId: person.id });
      const passkey = { id: newId(), personId: person.id, name: 'é', publicKey: Uint8Array.of(1), counter: 0 };
      const changes: [Notice['kind'], (notice: PersonMail) => Promise<boolean>][] = [
        ['password_changed', (notice) => people.replace(changed, person.updatedAt, undefined, notice)],
        ['second_factor_on', (notice) => secondFactors.turnOn(app, [], '', notice)],
        ['passkey_added', (notice) => passkeys.insert({ ...passkey, createdAt: NOON }, notice)],
        ['passkey_removed', (notice) => passkeys.delete(person.id, passkey.id, notice)],
        ['second_factor_off', (notice) => secondFactors.turnOff(person.id, '', notice)],
        ['removed_from_account', (notice) => people.deleteMember(accountId, person.id, UNRECORDED, notice)],
      ];
      for (const [kind, change] of changes) {
        expect([kind, await change(noticeTo(person.id, { kind }))]).toEqual([kind, true]);
        expect([kind, await change(noticeTo(person.id, { kind }))]).toEqual([kind, false]);
      }
      await sendAfter(0);

      expect(mails).toHaveLength(changes.length);
      expect(new Set(mails.map(({ subject }) => subject)).size).toBe(changes.length);
    });

    it('goes to no address that is not verified when it is sent, and to nobody who is gone', async () => {
      const [stranger, leaving] = [await addPerson({ isVerified: false }), await addPerson()];
      await notify(stranger.id);
      await notify(leaving.id);
      await repositories.people.delete(leaving.id, []);
      await sendAfter(0);

      expect(mails).toEqual([]);
      expect(results.map(({ outcome }) => outcome)).toEqual(['dropped', 'dropped']);
    });

    it('goes to the address that the person has when it is sent, or had when it was changed', async () => {
      const person = await addPerson();
      await notify(person.id);
      await notify(person.id, { kind: 'address_changed', to: 'old@example.com' });
      const changed = { ...person, email: 'new@example.com', updatedAt: new Date(person.updatedAt.getTime() + 1) };
      await repositories.people.replace(changed, person.updatedAt, undefined);
      await sendAfter(0);

      expect(mails.map(({ to }) => to).sort()).toEqual(['new@example.com', 'old@example.com']);
    });

    it('is tried again for at most an hour, with the same Message-ID', async () => {
      const { id, email } = await addPerson();
      await notify(id);
      faults = [new MailFailed(`no ${email}`), new MailFailed('no'), new MailFailed('no')];
      for (const minutes of [0, 1, 4, 10]) await sendAfter(minutes);
      expect(mails).toHaveLength(1);
      expect(results[0]).toMatchObject({ outcome: 'failed', failure: { detail: 'no ***' } });

      await notify(id);
      faults = Array.from({ length: 9 }, () => new MailFailed('no'));
      results = [];
      for (const minutes of [0, 1, 4, 10, 30, 60, 60]) await sendAfter(minutes);
      expect(mails).toHaveLength(1);
      expect(results.map((result) => result.outcome === 'failed' && result.retryAt !== undefined)).toEqual([
        true,
        true,
        true,
        true,
        false,
      ]);
    });

    it('is not sent after an hour without a mail server, and forgotten after a week', async () => {
      const { id } = await addPerson();
      await notify(id);
      time = new Date(NOON.getTime() + (7 * 24 + 1) * 60 * MINUTE_MS);
      await deleteOldMails(sender());
      await notify(id);
      await sendAfter(61);

      expect([mails, results]).toMatchObject([[], [{ outcome: 'failed', retryAt: undefined }]]);
    });

    it('is sent again with the same Message-ID if the sender died before it noted that it was sent', async () => {
      const { id } = await addPerson();
      await notify(id);
      await sendDueMails({
        ...sender(),
        tasks: { ...repositories.tasks, finish: () => Promise.reject(new Error('killed')) },
      }).catch(() => {});
      await sendAfter(9);
      expect(mails).toHaveLength(1);
      await sendAfter(2);

      expect(mails).toHaveLength(2);
      expect(mails[1]?.messageId).toBe(mails[0]?.messageId);
    });
  });

  describe('a mail with a link', () => {
    const linking = () => ({ ...repositories, now, newId, randomBytes, author: COMMAND_LINE });
    const grant = { role: 'viewer', websiteIds: null } as const;
    const inviting = (email = 'new@example.com') =>
      invite(linking(), accountId, { email, ...grant }, 'Ægir https://evil.example <b>', true);
    const tokenOf = (mail: NoticeMail | undefined) => mail?.link?.url.split('/').at(-1) ?? '';

    it('invites, and opens the invitation', async () => {
      const { token } = await inviting();
      await sendAfter(0);

      expect(mails).toMatchObject([
        { to: 'new@example.com', link: { url: `https://stats.example/invitation/${token}` } },
      ]);
      expect(mails[0]?.subject).not.toContain('Ægir');
      expect(mails[0]?.paragraphs.join()).toContain('“Ægir https evil.example <b>”');
    });

    it('does not go to who was invited no longer, or again', async () => {
      const { invitation } = await inviting('gone@example.com');
      await revokeInvitation(linking(), accountId, invitation.id);
      await inviting('twice@example.com');
      const { token } = await inviting('TWICE@example.com');
      await sendAfter(0);

      expect(mails.map((mail) => [mail.to, tokenOf(mail)])).toEqual([['TWICE@example.com', token]]);
    });

    it('tells why it was not sent, until it is', async () => {
      const [{ invitation }, { invitation: late }] = [await inviting(), await inviting('late@example.com')];
      const failed = () => repositories.people.listFailedInvitations(accountId);
      expect(await failed()).toEqual(new Map());
      faults = [new MailFailed('no new@example.com here'), new MailFailed('no')];
      await sendAfter(0);
      const details = [(await failed()).get(invitation.id), (await failed()).get(late.id)];
      expect(details.toSorted()).toEqual(['no', 'no *** here']);
      expect(await repositories.people.listFailedInvitations(newId())).toEqual(new Map());

      await sendAfter(1);
      expect([mails.length, await failed()]).toEqual([2, new Map()]);

      const { invitation: third } = await inviting('third@example.com');
      await sendAfter(61);
      await deleteOldMails(sender());
      expect(await failed()).toEqual(new Map([[third.id, 'No mail was sent for an hour.']]));
    });

    it('for a new password goes to a verified address alone', async () => {
      const [known, stranger] = [await addPerson(), await addPerson({ isVerified: false })];
      for (const email of [known.email.toUpperCase(), stranger.email, 'nobody@example.com']) {
        await requestPasswordLink(linking(), email);
      }
      await sendAfter(0);

      expect(mails.map(({ to }) => to)).toEqual([known.email]);
      expect((await findPersonLink(linking(), tokenOf(mails[0])))?.person.id).toBe(known.id);
      expect(results.map(({ outcome }) => outcome).sort()).toEqual(['dropped', 'dropped', 'sent']);
    });

    it('for an address goes there, whoever has it', async () => {
      const [person, other] = [await addPerson({ isVerified: false }), await addPerson()];
      await requestAddressLink(linking(), person, other.email);
      await sendAfter(0);

      expect(mails.map(({ to }) => to)).toEqual([other.email]);
    });

    it('is not sent once the link was used', async () => {
      const { email } = await addPerson();
      await requestPasswordLink(linking(), email);
      faults = [new MailFailed('no')];
      await sendAfter(0);
      await repositories.personLinks.deleteExpired(new Date(NOON.getTime() + 60 * MINUTE_MS));
      await sendAfter(1);

      expect(mails).toEqual([]);
    });
  });
}
