import {
  type Alert,
  type AlertMail,
  type AlertRepository,
  type AlertState,
  haveSameCondition,
  MAX_ALERTS,
  NEW_STATE,
  tooManyAlerts,
} from '@hitherto/domain/alerts';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { subscriptionsIn } from '../people/subscription-repository.ts';
import type { State } from '../state.ts';
import { addTask } from '../task-queue.ts';
import { deliver } from '../webhooks/deliveries.ts';
import { createOwned } from './owned.ts';

/** The result of the last check of an alert. */
export interface AlertCheck {
  readonly state: AlertState;
  readonly checkedAt: Date | null;
}

const MINUTE_MS = 60_000;

/** Stores alerts in `state`. */
export function createAlertRepository(state: State): AlertRepository {
  const checks = state.alertChecks;
  const checkOf = (id: string): AlertCheck => checks.get(id) ?? { state: NEW_STATE, checkedAt: null };
  const all = state.resources.alert;
  const owned = createOwned<WebsiteKey, Alert>(state, all, {
    limit: MAX_ALERTS,
    tooMany: tooManyAlerts,
    replacing(before, after) {
      const { state: known, checkedAt } = checkOf(after.id);
      if (!haveSameCondition(before, after)) checks.set(after.id, { state: { ...known, holds: false }, checkedAt });
      return after;
    },
    onDelete: (id) => checks.delete(id),
  });

  return {
    ...owned,

    async insert(website, alert, change, first = NEW_STATE) {
      await owned.insert(website, alert, change);
      checks.set(alert.id, structuredClone({ state: first, checkedAt: null }));
      return undefined;
    },

    async claim(now, limit) {
      const isDue = (id: string) => {
        const { checkedAt } = checkOf(id);
        return checkedAt === null || checkedAt > now || now.getTime() - checkedAt.getTime() >= MINUTE_MS;
      };
      const due = [...all.values()].filter(({ resource }) => isDue(resource.id));
      return due.slice(0, limit).flatMap(({ owner: { accountId, websiteId = '' }, resource: alert }) => {
        const website = state.accounts.get(accountId)?.websites.get(websiteId);
        if (website === undefined) return [];
        const checkedAt = new Date(now);
        const { state: known } = checkOf(alert.id);
        checks.set(alert.id, { state: known, checkedAt });
        const { id, url, timeZone } = website;
        return [structuredClone({ alert, accountId, website: { id, url, timeZone }, state: known, checkedAt })];
      });
    },

    async record({ alert, accountId, website, checkedAt }, next, firing) {
      const stored = await owned.find({ accountId, websiteId: website.id }, alert.id);
      if (stored?.updatedAt.getTime() !== alert.updatedAt.getTime()) return false;
      if (checkOf(alert.id).checkedAt?.getTime() !== checkedAt.getTime()) return false;
      checks.set(alert.id, structuredClone({ state: next, checkedAt }));
      if (firing === undefined) return true;
      const { at, data } = firing.event;
      const payload: AlertMail = { accountId, at: at.toISOString(), website: data.website, alert: data.alert };
      const mail = (key: string) => addTask(state, { kind: 'alert', websiteId: website.id, key, payload }, at);
      if (alert.email) mail(firing.id);
      for (const { personId, websiteId, alerts } of subscriptionsIn(state)) {
        if (alerts && websiteId === website.id) mail(`${firing.id} ${personId}`);
      }
      if (alert.webhooks) deliver(state, firing.event);
      return true;
    },

    async spikes(websiteIds, since) {
      const spikes = new Map<string, Date>();
      for (const { owner, resource } of all.values()) {
        const { firedAt } = checkOf(resource.id).state;
        const { websiteId = '' } = owner;
        if (resource.rule !== 'spike' || firedAt === undefined || !websiteIds.includes(websiteId)) continue;
        const at = new Date(firedAt);
        if (at >= since && at >= (spikes.get(websiteId) ?? at)) spikes.set(websiteId, at);
      }
      return spikes;
    },
  };
}
