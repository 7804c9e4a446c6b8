import {
  type Alert,
  type AlertMail,
  type AlertRepository,
  type AlertState,
  MAX_ALERTS,
  tooManyAlerts,
} from '@hitherto/domain/alerts';
import { DomainError } from '@hitherto/domain/base';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { note } from './audit-trail.ts';
import { type AccountState, hasAlert, type State } from './state.ts';
import { addTask } from './task-queue.ts';
import { tell } from './webhooks/deliveries.ts';

/** An alert, and the result of its last check. */
export interface StoredAlert {
  readonly websiteId: string;
  readonly alert: Alert;
  readonly state: AlertState;
  readonly checkedAt: Date | null;
}

const MINUTE_MS = 60_000;

/** Stores alerts in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createAlertRepository(state: State): AlertRepository {
  const accountOf = ({ accountId, websiteId }: WebsiteKey): AccountState | undefined => {
    const account = state.accounts.get(accountId);
    return account?.websites.has(websiteId) ? account : undefined;
  };
  const ofWebsite = (website: WebsiteKey) =>
    [...(accountOf(website)?.alerts.values() ?? [])].filter(({ websiteId }) => websiteId === website.websiteId);
  const findStored = (website: WebsiteKey, id: string) => ofWebsite(website).find(({ alert }) => alert.id === id);

  return {
    async list(website) {
      if (accountOf(website) === undefined) return undefined;
      return structuredClone(ofWebsite(website).map(({ alert }) => alert));
    },

    async find(website, id) {
      return structuredClone(findStored(website, id)?.alert);
    },

    async insert(website, alert, fresh, change) {
      const account = accountOf(website);
      if (account === undefined) throw new DomainError('not_found', 'The website is gone.');
      if (ofWebsite(website).length >= MAX_ALERTS) throw tooManyAlerts();
      if (hasAlert(state, alert.id)) throw new DomainError('id_taken', 'There is already an alert with this id.');
      const { websiteId } = website;
      account.alerts.set(alert.id, structuredClone({ websiteId, alert, state: fresh, checkedAt: null }));
      note(state, change);
    },

    async replace(website, alert, hasNewCondition, expected, change) {
      const stored = findStored(website, alert.id);
      if (stored?.alert.updatedAt.getTime() !== expected.getTime()) return false;
      const known = hasNewCondition ? { ...stored.state, holds: false } : stored.state;
      accountOf(website)?.alerts.set(alert.id, structuredClone({ ...stored, alert, state: known }));
      note(state, change);
      return true;
    },

    async delete(website, id, expected, change) {
      if (findStored(website, id)?.alert.updatedAt.getTime() !== expected.getTime()) return false;
      accountOf(website)?.alerts.delete(id);
      note(state, change);
      return true;
    },

    async claim(now, limit) {
      const isDue = ({ checkedAt }: StoredAlert) =>
        checkedAt === null || checkedAt > now || now.getTime() - checkedAt.getTime() >= MINUTE_MS;
      const due = [...state.accounts].flatMap(([accountId, account]) =>
        [...account.alerts.values()].filter(isDue).map((stored) => ({ accountId, account, stored })),
      );
      return due.slice(0, limit).flatMap(({ accountId, account, stored }) => {
        const website = account.websites.get(stored.websiteId);
        if (website === undefined) return [];
        const checkedAt = new Date(now);
        account.alerts.set(stored.alert.id, { ...stored, checkedAt });
        const { id, url, timeZone } = website;
        const { alert, state: known } = stored;
        return [structuredClone({ alert, accountId, website: { id, url, timeZone }, state: known, checkedAt })];
      });
    },

    async record({ alert, accountId, website, checkedAt }, next, firing) {
      const key = { accountId, websiteId: website.id };
      const stored = findStored(key, alert.id);
      if (stored?.checkedAt?.getTime() !== checkedAt.getTime()) return false;
      if (stored.alert.updatedAt.getTime() !== alert.updatedAt.getTime()) return false;
      accountOf(key)?.alerts.set(alert.id, structuredClone({ ...stored, state: next }));
      if (firing === undefined) return true;
      const { at, data } = firing.event;
      const payload: AlertMail = { accountId, at: at.toISOString(), website: data.website, alert: data.alert };
      if (alert.email) addTask(state, { kind: 'alert', websiteId: website.id, key: firing.id, payload }, at);
      if (alert.webhooks) tell(state, firing.event);
      return true;
    },
  };
}

/** Forgets the alerts of a website that is deleted. */
export function forgetAlerts({ alerts }: AccountState, websiteId: string): void {
  for (const [id, stored] of alerts) if (stored.websiteId === websiteId) alerts.delete(id);
}
