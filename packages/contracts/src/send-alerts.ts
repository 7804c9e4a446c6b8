import { type SendAlertsDependencies, sendDueAlerts } from '@hitherto/domain/alerts';
import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import { timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import { MailFailed, type NoticeMail } from '@hitherto/domain/reports';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { ENGLISH } from '@hitherto/words';
import { beforeEach, describe, expect, it } from 'vitest';
import { alertChecks, MINUTE_MS, NOON, type Ports } from './support/alert-checks.ts';

/** The behaviour of `sendDueAlerts` on an adapter. */
export function sendAlertsContract(makeRepositories: () => Promise<Ports>): void {
  const checks = alertChecks(makeRepositories);
  const { create, addHits, checkAfter } = checks;

  describe('the mail of an alert', () => {
    let mails: NoticeMail[];
    let faults: Error[];
    beforeEach(() => {
      mails = [];
      faults = [];
    });
    const sender = (): SendAlertsDependencies => ({
      ...checks.ports,
      clock: MONOTONIC_CLOCK,
      zone: timeZone('UTC'),
      now: () => checks.now,
      messageHost: 'stats.example',
      locale: ENGLISH,
      onMail: () => {},
      mailer: {
        async notify(mail) {
          const fault = faults.shift();
          if (fault !== undefined) throw fault;
          mails.push(mail);
        },
      },
    });
    const sendAfter = async (minutes: number) => {
      checks.now = new Date(checks.now.getTime() + minutes * MINUTE_MS);
      await sendDueAlerts(sender());
    };
    const addMember = async () => {
      const { accountId } = checks.key;
      const person = aPerson({ isVerified: true });
      const invitation = anInvitation({ accountId, email: person.email });
      await checks.ports.people.insertInvitation(invitation, UNRECORDED);
      const member = aMember({ accountId, personId: person.id, role: 'viewer' });
      await checks.ports.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
      return person;
    };
    const fire = async () => {
      await create({ rule: 'spike', threshold: 1 });
      await addHits(checks.now, 1);
      await checkAfter(0);
    };

    it('goes to the account once', async () => {
      await fire();
      await sendAfter(0);
      await sendAfter(1);

      expect(mails).toMatchObject([
        {
          to: 'owner@example.com',
          subject: expect.stringMatching(/^Spike: .*\.bücher\.example$/),
          paragraphs: [checks.fired[0]?.event.data.alert.text, expect.any(String)],
          link: { url: `https://stats.example/statistics/${checks.key.websiteId}` },
          messageId: `alert.${checks.fired[0]?.id}@stats.example`,
          date: NOON,
        },
      ]);
    });

    it('goes once to members who have turned it on, whatever the alert says, while they may see the website', async () => {
      const { websiteId } = checks.key;
      const people = [await addMember(), await addMember()];
      for (const { id } of people) {
        await checks.ports.subscriptions.save(id, { weekly: [], monthly: [], alerts: [websiteId] }, checks.now);
      }
      await addMember();
      await create({ rule: 'spike', threshold: 1, email: false, webhooks: true });
      await addHits(checks.now, 1);
      await checkAfter(0);
      await checks.ports.people.deleteMember(checks.key.accountId, people[1]?.id ?? '', UNRECORDED);
      await sendAfter(0);
      await sendAfter(1);

      const [person] = people;
      const messageId = `alert.${checks.fired[0]?.id}.${person?.id}@stats.example`;
      expect(mails).toMatchObject([{ to: person?.email, messageId }]);
    });

    it('has the address, the sources and the pages as people read them', async () => {
      await create({ rule: 'spike', threshold: 1 });
      await addHits(checks.now, 2, { source: null, page: '/%C3%BCber' });
      await addHits(checks.now, 1, { source: 'é', page: '(other)' });
      await checkAfter(0);
      await sendAfter(0);

      expect(mails).toMatchObject([
        {
          title: expect.stringMatching(/\.bücher\.example$/),
          paragraphs: [expect.stringContaining('.bücher.example has 3 visitors'), expect.any(String)],
          lists: [
            { rows: [{ value: 'Direct or unknown' }, { value: 'é' }] },
            { rows: [{ value: '/über' }, { value: 'All others' }] },
          ],
        },
      ]);
      expect(checks.fired[0]?.event.data).toMatchObject({
        website: { url: expect.stringContaining('.xn--bcher-kva.example') },
        alert: { sources: [{ value: null }, { value: 'é' }], pages: [{ value: '/%C3%BCber' }, { value: '(other)' }] },
      });
    });

    it('is tried again after 1, 5 and 30 minutes, 2, 6 and 12 hours, and then abandoned', async () => {
      await fire();
      faults = Array.from({ length: 9 }, () => new MailFailed('no owner@example.com'));
      for (const minutes of [0, 1, 5, 30, 120, 360]) {
        await sendAfter(minutes);
        expect(await checks.ports.tasks.records('alert', checks.key.websiteId)).toMatchObject([
          { state: 'waiting', failure: { detail: 'no ***' } },
        ]);
      }
      await sendAfter(720);

      expect(await checks.ports.tasks.records('alert', checks.key.websiteId)).toMatchObject([{ state: 'failed' }]);
      expect(faults).toHaveLength(2);
    });

    it('is dropped if it is more than a day late', async () => {
      await fire();
      await sendAfter(24 * 60 + 1);

      expect([mails, await checks.ports.tasks.records('alert', checks.key.websiteId)]).toEqual([[], []]);
    });

    it('is abandoned if it has failed and is more than a day late', async () => {
      await fire();
      faults = [new MailFailed('no')];
      await sendAfter(0);
      await sendAfter(24 * 60 + 1);

      expect(mails).toEqual([]);
      expect(await checks.ports.tasks.records('alert', checks.key.websiteId)).toMatchObject([
        { state: 'failed', failure: { detail: 'no' } },
      ]);
    });

    it('is dropped where the account has no address', async () => {
      await fire();
      await checks.ports.access.updateAccount(checks.key.accountId, { email: null }, UNRECORDED);
      await sendAfter(0);

      expect([mails, await checks.ports.tasks.records('alert', checks.key.websiteId)]).toEqual([[], []]);
    });
  });
}
