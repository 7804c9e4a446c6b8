import { UNRECORDED } from '@hitherto/domain/changes';
import { type Member, type Person, subscribe, unsubscribePerson } from '@hitherto/domain/people';
import type { ReportMail } from '@hitherto/domain/reports';
import { sendDueReports } from '@hitherto/domain/reports';
import { newId } from '@hitherto/outside/system';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Ports, type Sending, startSending, TO } from './support/report-sending.ts';
import { HOSTILE_STRINGS } from './support/repositories.ts';

const EARLIER = new Date('2026-11-01T00:00:00.000Z');

/** The contract of `SubscriptionRepository`, and of the reports that members have turned on. */
export function subscriptionsContract(makeRepositories: () => Promise<Ports>): void {
  let sending: Sending;
  let ports: Ports;

  beforeEach(async () => {
    sending = await startSending(makeRepositories);
    ({ ports } = sending);
  });

  const add = async (granted: Partial<Member> = {}, overrides: Partial<Person> = {}): Promise<Person> => {
    const person = aPerson({ isVerified: true, ...overrides });
    const invitation = anInvitation({ accountId: sending.accountId, email: person.email });
    await ports.people.insertInvitation(invitation, UNRECORDED);
    const member = aMember({ accountId: sending.accountId, personId: person.id, role: 'viewer', ...granted });
    await ports.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
    return person;
  };
  const want = (person: Person, reports: readonly string[], alerts: readonly string[] = [], now = EARLIER) =>
    subscribe({ subscriptions: ports.subscriptions, now: () => now }, person.id, {
      weekly: reports,
      monthly: [],
      alerts,
    });
  const send = () => sendDueReports(sending.deps());
  const recipients = () => sending.sent.map(({ to }: ReportMail) => to).sort();

  describe('a subscription', () => {
    it('is listed and found as it was saved, and keeps the time from when it was turned on', async () => {
      const [one = '', other = ''] = [await sending.addWebsite(), await sending.addWebsite()].sort();
      const person = await add();
      await want(person, [one], [one, other]);
      await want(person, [one, other], [other], new Date('2026-11-02T00:00:00.000Z'));

      const subscriptions = [
        { websiteId: one, reportsSince: { weekly: EARLIER, monthly: null }, alerts: false },
        {
          websiteId: other,
          reportsSince: { weekly: new Date('2026-11-02T00:00:00.000Z'), monthly: null },
          alerts: true,
        },
      ];
      expect(await ports.subscriptions.list(person.id)).toStrictEqual(subscriptions);
      const [member] = await ports.people.membershipsOf(person.id);
      const found = await ports.subscriptions.find(person.id, one);
      const secondFactor = { isOn: false, isRequired: false };
      const subscriber = { person: await ports.people.find(person.id), member, secondFactor };
      expect(found).toStrictEqual({ ...subscriptions[0], ...subscriber });
      for (const text of [...HOSTILE_STRINGS, newId()]) {
        expect(await ports.subscriptions.list(text)).toEqual([]);
        expect(await ports.subscriptions.find(text, one)).toBeUndefined();
        expect(await ports.subscriptions.find(person.id, text)).toBeUndefined();
      }
      await want(person, []);
      expect(await ports.subscriptions.list(person.id)).toEqual([]);
    });

    it('is of websites that the member sees', async () => {
      const [seen, hidden] = [await sending.addWebsite(), await sending.addWebsite()];
      const person = await add({ websiteIds: [seen] });
      await want(person, [seen, hidden, newId(), ...HOSTILE_STRINGS], [hidden]);

      expect((await ports.subscriptions.list(person.id)).map(({ websiteId }) => websiteId)).toEqual([seen]);
    });

    it('ends with the membership, and with the website', async () => {
      const [one, other] = [await sending.addWebsite(), await sending.addWebsite()];
      await add({ role: 'owner' });
      const person = await add();
      await want(person, [one, other]);
      await ports.websites.delete(sending.accountId, one, undefined, UNRECORDED);
      expect(await ports.subscriptions.list(person.id)).toHaveLength(1);
      await ports.people.deleteMember(sending.accountId, person.id, UNRECORDED);

      expect(await ports.subscriptions.list(person.id)).toEqual([]);
      expect(await ports.subscriptions.find(person.id, other)).toBeUndefined();
    });
  });

  describe('the report of a website', () => {
    it('goes once to its account and to each member who has turned it on', async () => {
      const website = await sending.addWebsite('2026-11-18');
      const people = [await add(), await add()];
      for (const person of people) await want(person, [website]);
      await Promise.all([send(), send()]);
      await send();

      expect(recipients()).toEqual([TO, ...people.map(({ email }) => email)].sort());
      expect(new Set(sending.sent.map(({ messageId }) => messageId)).size).toBe(3);
    });

    it('of a month goes to members who have turned that on', async () => {
      const website = await sending.addWebsite('2026-11-18');
      const [monthly, both] = [await add(), await add()];
      const deps = { subscriptions: ports.subscriptions, now: () => EARLIER };
      await subscribe(deps, monthly.id, { weekly: [], monthly: [website], alerts: [] });
      await subscribe(deps, both.id, { weekly: [website], monthly: [website], alerts: [] });
      await unsubscribePerson(deps, both.id, website, 'weekly');
      await send();
      expect(recipients()).toEqual([TO]);
      sending.sent.splice(0);
      sending.now = new Date('2026-12-07T23:00:00.000Z');
      await send();

      const months = sending.sent.filter(({ report }) => report.period.kind === 'monthly');
      expect(months.map(({ to }) => to).sort()).toEqual([monthly.email, both.email].sort());
    });

    it('goes to members whatever its setting says', async () => {
      const website = await sending.addWebsite({ emailReports: false }, '2026-11-18');
      const person = await add();
      await want(person, [website]);
      await send();

      expect(recipients()).toEqual([person.email]);
    });

    it('goes to who may see it when it is sent, at a verified address', async () => {
      const [website, other] = [
        await sending.addWebsite({ emailReports: false }, '2026-11-18'),
        await sending.addWebsite({ emailReports: false }),
      ];
      await add({ role: 'owner' });
      const [removed, limited, unverified, unsubscribed] = [
        await add(),
        await add(),
        await add({}, { isVerified: false }),
        await add(),
      ];
      for (const person of [removed, limited, unverified, unsubscribed]) await want(person, [website]);
      sending.responses = Array.from({ length: 9 }, () => async () => {
        throw new Error('later');
      });
      await send();
      sending.responses = [];
      const { id: personId } = limited;
      await ports.people.deleteMember(sending.accountId, removed.id, UNRECORDED);
      const [member] = await ports.people.membershipsOf(personId);
      if (member === undefined) throw new Error('The member is gone.');
      const changed = { ...member, websiteIds: [other], updatedAt: new Date(member.updatedAt.getTime() + 1) };
      await ports.people.replaceMember(changed, member.updatedAt, UNRECORDED);
      await want(unsubscribed, []);
      sending.pass(60_000);
      await send();

      expect(recipients()).toEqual([]);
    });

    it('goes to no member who lacks a second factor that the account requires', async () => {
      const website = await sending.addWebsite({ emailReports: false }, '2026-11-18');
      await want(await add(), [website]);
      await ports.access.updateAccount(sending.accountId, { requiresSecondFactor: true }, UNRECORDED);
      await send();

      expect(recipients()).toEqual([]);
    });

    it('is about no week that ended before it was turned on', async () => {
      const website = await sending.addWebsite({ emailReports: false }, '2026-11-18');
      await want(await add(), [website], [], new Date('2026-11-23T00:00:00.000Z'));
      await send();

      expect(recipients()).toEqual([]);
    });
  });
}
