import { type Log, MONOTONIC_CLOCK } from '@hitherto/domain/base';
import {
  type ReportEvent,
  type ReportMailing,
  type SendReportsDependencies,
  type UnsubscribeDependencies,
  unsubscribeToken,
} from '@hitherto/domain/reports';
import { statisticsPath, unsubscribePath } from '@hitherto/pages/paths';
import type { OpenedDatabase } from '../installation/database.ts';
import { missingForMail, SETTINGS, type Settings } from '../installation/settings.ts';
import type { Mail } from './mail.ts';

/** Mails reports. */
export function openReportMailing(
  { mailer, messageHost, origin, locale }: Mail,
  { secrets }: Pick<OpenedDatabase, 'secrets'>,
  { randomBytes }: Pick<UnsubscribeDependencies, 'randomBytes'>,
): ReportMailing {
  return { mailer, messageHost, locale, linksOf: reportLinks(origin, { secrets, randomBytes }) };
}

/** Sends reports, of days in `timeZone` where a website has no other zone. */
export function openReportSender(
  mailing: ReportMailing,
  { timeZone: zone }: Settings,
  database: OpenedDatabase,
  now: () => Date,
  onReport: (event: ReportEvent) => void,
): SendReportsDependencies {
  return { ...database, ...mailing, zone, now, clock: MONOTONIC_CLOCK, onReport };
}

/** Logs at the start whether reports are sent, and which settings are missing. */
export function adviseReports(settings: Settings, log: Log): void {
  if (settings.smtpUrl === undefined) {
    log('info', `no reports are sent by e-mail: ${missingForMail(settings)}`);
  } else if (!settings.publicUrl?.startsWith('https:')) {
    const { publicUrl } = SETTINGS;
    log('warn', `${publicUrl.name} is not an https URL: one-click unsubscribe in mail programs needs https`);
  }
}

/** The addresses in the reports of an installation that people reach at `origin`. */
export function reportLinks(origin: string, deps: UnsubscribeDependencies): ReportMailing['linksOf'] {
  return async (websiteId, { kind, from, to }, reader) => ({
    pageUrl: `${origin}${statisticsPath(websiteId)}?from=${from}&to=${to}`,
    unsubscribeUrl: `${origin}${unsubscribePath(websiteId, await unsubscribeToken(deps, websiteId, { kind, ...reader }))}`,
  });
}
