import { InvalidFields, inWords } from '../base/errors.ts';
import { type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { Authored } from '../changes/entry.ts';
import { GOAL, type StoredDefinitions } from '../definitions/definition-type.ts';
import type { StatisticsRepository } from '../engine/statistics-repository.ts';
import type { DroppedHitsRepository } from '../hits/dropped-hits.ts';
import { type Making, resourceChange, type UpdatableType } from '../resources/resource-type.ts';
import { listResources } from '../resources/use-cases.ts';
import { wholeAccount } from '../websites/reach.ts';
import { showWebsite } from '../websites/use-cases.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import { type Alert, type AlertChanges, type AlertSettings, changeAlert } from './alert.ts';
import type { AlertRepository } from './alert-repository.ts';
import { sampleHits } from './measure.ts';
import { type AlertState, NEW_STATE } from './rules.ts';

interface StoredAlerts {
  readonly alerts: AlertRepository;
}

interface CheckedAlerts extends StoredAlerts, StoredDefinitions {}

export const ALERT = {
  kind: 'alert',
  absence: 'There is no such website, or no such alert.',
  repository: ({ alerts }) => alerts,

  make({ now, newId }, settings) {
    const at = now();
    return { id: newId(), ...settings, createdAt: at, updatedAt: at };
  },

  change: changeAlert,

  async check({ definitions }, website, { goalId }, before) {
    if (goalId === null || goalId === before?.goalId) return;
    const goals = await listResources({ definitions }, GOAL, website);
    if (goals.some(({ id }) => id === goalId)) return;
    const detail = 'This is not the id of a goal of the website.';
    throw new InvalidFields([
      { field: 'goal_id', code: 'unknown_goal', ...inWords(({ resources }) => resources.alert.goalRequired, detail) },
    ]);
  },

  nameOf: ({ rule }) => rule,
  fieldsOf: ({ id: _, createdAt: __, updatedAt: ___, ...fields }) => fields,
} satisfies UpdatableType<WebsiteKey, Alert, AlertSettings, AlertChanges, StoredAlerts, CheckedAlerts>;

/** The dependencies of the use cases of alerts. */
export interface AlertDependencies extends CheckedAlerts, Making {
  readonly websites: WebsiteRepository;
  readonly statistics: StatisticsRepository;
  readonly droppedHits: DroppedHitsRepository;
  /** The installation's. */
  readonly zone: TimeZone;
}

/** Creates an alert. Throws `InvalidFields` `unknown_goal`, and rejects with `not_found`, `too_many_alerts`. */
export async function createAlert(
  deps: AlertDependencies & Authored,
  website: WebsiteKey,
  settings: AlertSettings,
): Promise<Alert> {
  const alert = ALERT.make(deps, settings);
  await ALERT.check(deps, website, alert, undefined);
  const change = resourceChange(deps, ALERT, website, undefined, alert);
  await deps.alerts.insert(website, alert, change, await firstState(deps, website, alert));
  return alert;
}

/** Of `dropped`, the hits before are known, so that they do not count. */
async function firstState(
  deps: AlertDependencies,
  { accountId, websiteId }: WebsiteKey,
  { rule }: Alert,
): Promise<AlertState> {
  if (rule !== 'dropped') return NEW_STATE;
  const zone = zoneOf(await showWebsite(deps, wholeAccount(accountId), websiteId), deps.zone);
  return { ...NEW_STATE, samples: [await sampleHits({ ...deps, zone }, websiteId)] };
}
