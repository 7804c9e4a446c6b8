import type { CheckAlertsDependencies, SendAlertsDependencies } from '@hitherto/domain/alerts';
import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import { statisticsPath } from '@hitherto/pages/paths';
import type { OpenedDatabase } from '../installation/database.ts';
import type { Settings } from '../installation/settings.ts';
import type { Mail } from './mail.ts';

/** Checks alerts with these settings. */
export function openAlertChecker(
  { publicUrl, timeZone: zone }: Settings,
  { alerts, statistics, droppedHits, definitions }: OpenedDatabase,
  { now, newId }: { readonly now: () => Date; readonly newId: () => string },
  onFired: CheckAlertsDependencies['onFired'],
): CheckAlertsDependencies {
  const pageUrlOf = (id: string) => (publicUrl === undefined ? undefined : `${publicUrl}${statisticsPath(id)}`);
  return { alerts, statistics, droppedHits, definitions, zone, now, newId, pageUrlOf, onFired };
}

/** Sends the mails of alerts. */
export function openAlertSender(
  { timeZone: zone }: Settings,
  { mailer, messageHost, locale }: Mail,
  { tasks, access, subscriptions, directory }: OpenedDatabase,
  now: () => Date,
  onMail: SendAlertsDependencies['onMail'],
): SendAlertsDependencies {
  const clock = MONOTONIC_CLOCK;
  return { tasks, access, subscriptions, directory, zone, mailer, messageHost, locale, now, clock, onMail };
}
