import type { AccessRepository } from '../access/access-repository.ts';
import { type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { Website } from '../websites/website.ts';
import { makeReport, type ReportDependencies } from './report.ts';
import type { ReportMailing } from './send-reports.ts';
import { lastFullWeek } from './week.ts';

export interface TestReportDependencies extends Omit<ReportDependencies, 'zone'>, ReportMailing {
  readonly access: Pick<AccessRepository, 'findAccount'>;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly newId: () => string;
}

/**
 * Immediately sends the report of the last full week to the address of the account, and records nothing: the weekly report is
 * sent as if there had been no test. Rejects as {@link Mailer.send}.
 *
 * @returns the address; `undefined` if the account has none, and nothing was sent
 */
export async function sendTestReport(
  deps: TestReportDependencies,
  accountId: string,
  website: Pick<Website, 'id' | 'url' | 'timeZone'>,
): Promise<string | undefined> {
  const account = await deps.access.findAccount(accountId);
  const to = account?.email?.address;
  if (to === undefined) return undefined;
  const zone = zoneOf(website, deps.zone);
  const week = lastFullWeek(zone, deps.now());
  const report = await makeReport({ ...deps, zone }, accountId, website, week);
  const links = await deps.linksOf(website.id, week);
  // With the Message-ID of the week, mail programs would take the weekly report for a copy.
  const messageId = `report.test.${deps.newId()}@${deps.messageHost}`;
  await deps.mailer.send({ to, report, ...links, messageId, date: deps.now() });
  return to;
}
