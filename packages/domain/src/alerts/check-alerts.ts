import { isUnavailable } from '../base/outage.ts';
import { dayOf, type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { AlertRepository, DueAlert, Firing } from './alert-repository.ts';
import { makeFiring } from './firing.ts';
import { type MeasureDependencies, measure } from './measure.ts';
import { nextState } from './rules.ts';

/** How many alerts are claimed in one statement; they are then checked within the minute. */
const CLAIMED_AT_ONCE = 100;

export interface CheckAlertsDependencies extends MeasureDependencies {
  readonly alerts: Pick<AlertRepository, 'claim' | 'record'>;
  /** The installation's. */
  readonly zone: TimeZone;
  /** A new UUIDv7. */
  readonly newId: () => string;
  /** The statistics page of a website; `undefined` where the address of the installation is unknown. */
  readonly pageUrlOf: (websiteId: string) => string | undefined;
  /** Called for each alert that fired, once it is recorded. */
  readonly onFired: (due: DueAlert, firing: Firing) => void;
}

/**
 * Checks the alerts that are due now and not claimed by another process, until none is left or `signal` aborts. Rejects with
 * `unavailable` while the database is unreachable. After a crash, another instance checks the rest in the next minute.
 */
export async function checkDueAlerts(deps: CheckAlertsDependencies, signal?: AbortSignal): Promise<void> {
  const now = deps.now();
  const failures: unknown[] = [];
  for (;;) {
    const claimed = await deps.alerts.claim(now, CLAIMED_AT_ONCE);
    for (const due of claimed) {
      if (signal?.aborted) return;
      try {
        await checkAlert({ ...deps, now: () => now }, due);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        // One that cannot be checked must not keep others from it.
        failures.push(error);
      }
    }
    if (claimed.length < CLAIMED_AT_ONCE || signal?.aborted) break;
  }
  if (failures.length > 0) throw failures[0];
}

async function checkAlert(deps: CheckAlertsDependencies, due: DueAlert): Promise<void> {
  const zone = zoneOf(due.website, deps.zone);
  const measured = await measure({ ...deps, zone }, due);
  const day = dayOf(zone, deps.now());
  const { state, fires } = nextState(due.alert.rule, due.state, day, measured.holds);
  const firedAt = fires ? { firedAt: deps.now().toISOString() } : {};
  const recorded = { ...state, ...firedAt, samples: measured.samples };
  const firing = fires ? await makeFiring({ ...deps, zone }, due, measured) : undefined;
  if ((await deps.alerts.record(due, recorded, firing)) && firing !== undefined) deps.onFired(due, firing);
}
