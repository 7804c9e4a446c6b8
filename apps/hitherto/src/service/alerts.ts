import { type CheckAlertsDependencies, MONOTONIC_CLOCK, type SendAlertsDependencies } from '@hitherto/domain';
import { statisticsPath } from '@hitherto/pages/paths';
import type { Database } from '../database.ts';
import type { Settings } from '../settings.ts';
import type { ReportSenderDependencies } from './reports.ts';

/** Checks alerts with these settings. */
export function openAlertChecker(
  { publicUrl, timeZone: zone }: Settings,
  { alerts, statistics, droppedHits, definitions }: Database,
  { now, newId }: { readonly now: () => Date; readonly newId: () => string },
  onFired: CheckAlertsDependencies['onFired'],
): CheckAlertsDependencies {
  const pageUrlOf = (id: string) => (publicUrl === undefined ? undefined : `${publicUrl}${statisticsPath(id)}`);
  return { alerts, statistics, droppedHits, definitions, zone, now, newId, pageUrlOf, onFired };
}

/** Sends the mails of alerts with these settings; `undefined` if they name no mail server. */
export async function openAlertSender(
  { smtpUrl, mailFrom, publicUrl }: Settings,
  { tasks, access }: Database,
  { openMailer, now }: ReportSenderDependencies,
  onMail: SendAlertsDependencies['onMail'],
): Promise<SendAlertsDependencies | undefined> {
  if (smtpUrl === undefined || mailFrom === undefined || publicUrl === undefined) return undefined;
  const mailer = await openMailer({ url: smtpUrl, from: mailFrom });
  return { tasks, access, mailer, messageHost: new URL(publicUrl).hostname, now, clock: MONOTONIC_CLOCK, onMail };
}
