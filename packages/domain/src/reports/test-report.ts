import { firstLocale } from '@hitherto/words';
import type { AccessRepository } from '../access/access-repository.ts';
import { mailBrandOf } from '../access/mail-brand.ts';
import { type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { Website } from '../websites/website.ts';
import { lastFullPeriod } from './period.ts';
import { makeReport, type ReportDependencies } from './report.ts';
import type { ReportMailing } from './send-reports.ts';

export interface TestReportDependencies extends Omit<ReportDependencies, 'zone'>, ReportMailing {
  readonly access: Pick<AccessRepository, 'findAccount' | 'findLogo'>;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly newId: () => string;
}

/**
 * Immediately sends the report of the last full week, or month where the website has only monthly ones, to the address of the
 * account, and records nothing: the report is sent as if there had been no test. Rejects as {@link Mailer.send}.
 *
 * @returns the address; `undefined` if the account has none, and nothing was sent
 */
export async function sendTestReport(
  deps: TestReportDependencies,
  accountId: string,
  website: Pick<Website, 'id' | 'url' | 'timeZone' | 'report' | 'language'>,
): Promise<string | undefined> {
  const account = await deps.access.findAccount(accountId);
  const to = account?.email?.address;
  if (to === undefined) return undefined;
  const zone = zoneOf(website, deps.zone);
  const period = lastFullPeriod(website.report === 'monthly' ? 'monthly' : 'weekly', zone, deps.now());
  const report = await makeReport({ ...deps, zone }, accountId, website, period);
  const links = await deps.linksOf(website.id, period);
  // With the Message-ID of the period, mail programs would take its report for a copy.
  const messageId = `report.test.${deps.newId()}@${deps.messageHost}`;
  const locale = firstLocale([website.language], deps.locale);
  const brand = await mailBrandOf(deps.access, accountId);
  await deps.mailer.send({ to, report, locale, brand, ...links, messageId, date: deps.now() });
  return to;
}
