import type { Subscription, SubscriptionRepository } from '@hitherto/domain/people';
import { reaches } from '@hitherto/domain/websites';
import type { State } from '../state.ts';
import { findMember, membershipsIn, secondFactorOf } from './members.ts';

/** Stores which mails members have turned on in `state`. */
export function createSubscriptionRepository(state: State): SubscriptionRepository {
  return {
    async list(personId) {
      const own = subscriptionsIn(state).filter((each) => each.personId === personId);
      return structuredClone(own.map(({ websiteId, reportsSince, alerts }) => ({ websiteId, reportsSince, alerts })));
    },

    async find(personId, websiteId) {
      const found = subscriptionsIn(state).find((each) => each.personId === personId && each.websiteId === websiteId);
      const person = state.people.get(personId);
      const member = found && findMember(state, found.accountId, personId);
      if (found === undefined || person === undefined || member === undefined) return undefined;
      const { reportsSince, alerts } = found;
      const secondFactor = secondFactorOf(state, personId);
      return structuredClone({ websiteId, reportsSince, alerts, person, member, secondFactor });
    },

    async save(personId, { weekly, monthly, alerts }, now) {
      const before = subscriptionsIn(state).filter((each) => each.personId === personId);
      const wanted = [...new Set([...weekly, ...monthly, ...alerts])].flatMap((websiteId) => {
        const member = membershipsIn(state, personId).find(
          (each) => state.accounts.get(each.accountId)?.websites.has(websiteId) === true && reaches(each, websiteId),
        );
        if (member === undefined) return [];
        const since = before.find((each) => each.websiteId === websiteId)?.reportsSince;
        const reportsSince = {
          weekly: weekly.includes(websiteId) ? (since?.weekly ?? new Date(now)) : null,
          monthly: monthly.includes(websiteId) ? (since?.monthly ?? new Date(now)) : null,
        };
        return [{ personId, accountId: member.accountId, websiteId, reportsSince, alerts: alerts.includes(websiteId) }];
      });
      state.subscriptions = [...state.subscriptions.filter((each) => each.personId !== personId), ...wanted];
    },
  };
}

/** The subscriptions of members to websites of their accounts, by website. */
export function subscriptionsIn(state: State): StoredSubscription[] {
  return state.subscriptions
    .filter(({ accountId, websiteId, personId }) => {
      const isInAccount = state.accounts.get(accountId)?.websites.has(websiteId) === true;
      return isInAccount && findMember(state, accountId, personId) !== undefined;
    })
    .sort((one, other) => (one.websiteId > other.websiteId ? 1 : -1));
}

/** A subscription of a member of an account. */
export interface StoredSubscription extends Subscription {
  readonly personId: string;
  readonly accountId: string;
}
