import { DomainError, InvalidFields } from '../base/errors.ts';
import { type Precondition, untilSettled } from '../base/versions.ts';
import { type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import { type AuditEntry, type Authored, changesOf, makeEntry, verbOf } from '../changes/entry.ts';
import type { DefinitionRepository } from '../definitions/definition-repository.ts';
import { listDefinitions } from '../definitions/use-cases.ts';
import type { StatisticsRepository } from '../engine/statistics-repository.ts';
import type { DroppedHitsRepository } from '../hits/dropped-hits.ts';
import { showWebsite } from '../websites/use-cases.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import { type Alert, type AlertChanges, type AlertSettings, changeAlert, haveSameCondition } from './alert.ts';
import type { AlertRepository } from './alert-repository.ts';
import { sampleHits } from './measure.ts';
import { type AlertState, NEW_STATE } from './rules.ts';

export interface AlertDependencies {
  readonly alerts: AlertRepository;
  readonly websites: WebsiteRepository;
  readonly definitions: DefinitionRepository;
  readonly statistics: StatisticsRepository;
  readonly droppedHits: DroppedHitsRepository;
  readonly now: () => Date;
  /** The installation's. */
  readonly zone: TimeZone;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
}

type Changing = AlertDependencies & Authored;

/** The alerts of a website, in the order of their creation. Rejects with `not_found`. */
export async function listAlerts({ alerts }: Pick<AlertDependencies, 'alerts'>, website: WebsiteKey): Promise<Alert[]> {
  const found = await alerts.list(website);
  if (found === undefined) throw alertNotFound();
  return found;
}

/** The alert. Rejects with `not_found`. */
export async function showAlert(
  { alerts }: Pick<AlertDependencies, 'alerts'>,
  website: WebsiteKey,
  id: string,
): Promise<Alert> {
  const found = await alerts.find(website, id);
  if (found === undefined) throw alertNotFound();
  return found;
}

/**
 * Creates an alert.
 *
 * @throws InvalidFields `unknown_goal` if there is no such goal
 * @throws DomainError `not_found`, `too_many_alerts`
 */
export async function createAlert(deps: Changing, website: WebsiteKey, settings: AlertSettings): Promise<Alert> {
  await rejectUnknownGoal(deps, website, settings);
  const now = deps.now();
  const alert: Alert = { id: deps.newId(), ...settings, createdAt: now, updatedAt: now };
  const entry = alertEntry(deps, website, undefined, alert);
  await deps.alerts.insert(website, alert, await firstState(deps, website, alert), { entry });
  return alert;
}

/**
 * Updates an alert atomically; a new condition counts as false until the next check.
 *
 * @throws InvalidFields if the changes do not fit the stored alert; `unknown_goal`
 * @throws DomainError `not_found`, any error of the precondition
 */
export function updateAlert(
  deps: Changing,
  website: WebsiteKey,
  id: string,
  changes: AlertChanges,
  precondition?: Precondition,
): Promise<Alert> {
  return untilSettled(async () => {
    const alert = await showAlert(deps, website, id);
    precondition?.(alert);
    const changed = changeAlert(alert, changes, deps.now());
    if (changed === alert) return alert;
    if (changed.goalId !== alert.goalId) await rejectUnknownGoal(deps, website, changed);
    const entry = alertEntry(deps, website, alert, changed);
    const isNew = !haveSameCondition(alert, changed);
    return (await deps.alerts.replace(website, changed, isNew, alert.updatedAt, { entry })) ? changed : undefined;
  });
}

/** Deletes an alert atomically. Rejects with `not_found`, or any error of the precondition. */
export async function deleteAlert(
  deps: Pick<Changing, 'alerts' | 'author' | 'now' | 'newId'>,
  website: WebsiteKey,
  id: string,
  precondition?: Precondition,
): Promise<void> {
  await untilSettled(async () => {
    const alert = await showAlert(deps, website, id);
    precondition?.(alert);
    const entry = alertEntry(deps, website, alert, undefined);
    return (await deps.alerts.delete(website, id, alert.updatedAt, { entry })) ? alert : undefined;
  });
}

/** Of `dropped`, the hits before are known, so that they do not count. */
async function firstState(deps: Changing, { accountId, websiteId }: WebsiteKey, { rule }: Alert): Promise<AlertState> {
  if (rule !== 'dropped') return NEW_STATE;
  const zone = zoneOf(await showWebsite(deps, accountId, websiteId), deps.zone);
  return { ...NEW_STATE, samples: [await sampleHits({ ...deps, zone }, websiteId)] };
}

async function rejectUnknownGoal(
  { definitions }: Pick<Changing, 'definitions'>,
  website: WebsiteKey,
  { goalId }: Pick<AlertSettings, 'goalId'>,
): Promise<void> {
  if (goalId === null) return;
  const goals = await listDefinitions({ definitions }, 'goal', website);
  if (goals.some(({ id }) => id === goalId)) return;
  const detail = 'This is not the id of a goal of the website.';
  throw new InvalidFields([{ field: 'goal_id', code: 'unknown_goal', detail }]);
}

/** The entry about an alert that is created (no `before`), updated, or deleted (no `after`). */
function alertEntry(
  deps: Pick<Changing, 'author' | 'now' | 'newId'>,
  { accountId, websiteId }: WebsiteKey,
  before: Alert | undefined,
  after: Alert | undefined,
): AuditEntry {
  const subject = after ?? before;
  if (subject === undefined) throw new Error('An entry about an alert needs the alert.');
  const verb = verbOf(before, after);
  return makeEntry(deps, {
    accountId,
    action: `alert.${verb}`,
    websiteId,
    subject: { id: subject.id, name: subject.rule },
    changes: changesOf(fieldsOf(before), fieldsOf(after)),
  });
}

function fieldsOf(alert: Alert | undefined): Readonly<Record<string, unknown>> {
  if (alert === undefined) return {};
  const { id: _, createdAt: __, updatedAt: ___, ...fields } = alert;
  return fields;
}

function alertNotFound(): DomainError {
  return new DomainError('not_found', 'There is no such website, or no such alert.');
}
