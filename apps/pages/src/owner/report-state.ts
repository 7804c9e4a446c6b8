import type { AccessRepository } from '@hitherto/domain/access';
import { latestReportFailure, type ReportFailure, type ReportMailing } from '@hitherto/domain/reports';
import type { TaskQueue } from '@hitherto/domain/tasks';
import type { Website } from '@hitherto/domain/websites';

export interface ReportStateDependencies {
  readonly access: AccessRepository;
  readonly tasks: TaskQueue;
  /** Mails reports; `undefined` without a mail server. */
  readonly reportMailing: ReportMailing | undefined;
}

/** Why the reports of a website do not arrive, where they are on; `undefined` if no problem is known. */
export type ReportState =
  | { readonly fault: 'no_mail_server' }
  | { readonly fault: 'no_address' }
  | { readonly fault: 'failed'; readonly failure: ReportFailure };

/** The known problem of the reports of a website; `undefined` if there is none, or reports are off. */
export async function reportStateOf(
  { access, tasks, reportMailing }: ReportStateDependencies,
  accountId: string,
  { id, emailReports }: Website,
): Promise<ReportState | undefined> {
  if (!emailReports) return undefined;
  if (reportMailing === undefined) return { fault: 'no_mail_server' };
  const [account, failure] = await Promise.all([access.findAccount(accountId), latestReportFailure(tasks, id)]);
  if (account?.email === null) return { fault: 'no_address' };
  return failure && { fault: 'failed', failure };
}
