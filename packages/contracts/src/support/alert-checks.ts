import {
  type AlertInput,
  type CheckAlertsDependencies,
  checkDueAlerts,
  createAlert,
  type Firing,
  parseAlert,
} from '@hitherto/domain/alerts';
import { timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import type { Repositories } from '@hitherto/domain/repositories';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { AN_AUTHOR, aCountedHit } from '@hitherto/testing/fixtures';
import { beforeEach } from 'vitest';
import { addAccount, addWebsites } from './repositories.ts';

export type Ports = Repositories & Pick<StatisticsEngine, 'statistics' | 'maintenance'>;

/** Noon of a Friday. */
export const NOON = new Date('2026-11-20T12:00:00.000Z');
export const MINUTE_MS = 60_000;

/** Checks of the alerts of a website, which is another one in each test, and a clock that the test sets. */
export function alertChecks(makeRepositories: () => Promise<Ports>) {
  let ports: Ports;
  let key: WebsiteKey;
  let now: Date;
  let fired: Firing[];
  let visitors: bigint;

  beforeEach(async () => {
    ports = await makeRepositories();
    const accountId = await addAccount(ports);
    await ports.access.updateAccount(accountId, { email: { address: 'owner@example.com', since: NOON } }, UNRECORDED);
    const id = newId();
    const [website] = await addWebsites(ports, accountId, [`https://${id}.xn--bcher-kva.example`]);
    key = { accountId, websiteId: website?.id ?? '' };
    now = NOON;
    fired = [];
    visitors = 1n;
  });

  const deps = (): CheckAlertsDependencies => ({
    ...ports,
    zone: timeZone('UTC'),
    now: () => now,
    newId,
    pageUrlOf: (id) => `https://stats.example/statistics/${id}`,
    onFired: (_, firing) => {
      fired.push(firing);
    },
  });
  const create = (input: AlertInput) => createAlert({ ...deps(), ...ports, author: AN_AUTHOR }, key, parseAlert(input));
  /** Hits of so many visitors, one hit each, at this time. */
  const addHits = async (time: Date, count: number, overrides: Partial<CountedHit> = {}) => {
    const hits = Array.from({ length: count }, () => {
      visitors += 1n;
      return aCountedHit({ websiteId: key.websiteId, time, visitor: visitors, ...overrides });
    });
    await ports.hits.add(hits);
  };
  /** The alerts that fire when they are checked so many minutes later. */
  const checkAfter = async (minutes: number) => {
    now = new Date(now.getTime() + minutes * MINUTE_MS);
    const known = fired.length;
    await checkDueAlerts(deps());
    return fired.slice(known).map(({ event }) => event.data.alert);
  };

  return {
    get ports() {
      return ports;
    },
    get key() {
      return key;
    },
    /** The alerts that have fired. */
    get fired(): readonly Firing[] {
      return fired;
    },
    get now() {
      return now;
    },
    set now(time) {
      now = time;
    },
    deps,
    create,
    addHits,
    checkAfter,
  };
}
