import type { AnnotationRepository } from '@hitherto/domain/annotations';
import type { FindingRepository } from '@hitherto/domain/checks';
import type { DefinitionRepositories } from '@hitherto/domain/definitions';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { MailFailed, sendTestReport } from '@hitherto/domain/reports';
import type { Website } from '@hitherto/domain/websites';
import { createTokenBuckets, HttpProblem } from '@hitherto/http';
import { waitOf } from '../shared/wait-of.ts';
import type { ReportStateDependencies } from './report-state.ts';
import type { OpeningWebsites } from './resources/opened.tsx';

export interface ReportTestDependencies
  extends Pick<ReportStateDependencies, 'access' | 'reportMailing'>,
    Pick<OpeningWebsites, 'now' | 'newId' | 'zone'> {
  readonly annotations: AnnotationRepository;
  readonly findings: FindingRepository;
  readonly definitions: DefinitionRepositories;
  readonly statistics: StatisticsRepository;
}

const PER_MINUTE = 3;
const NO_MAIL_SERVER =
  'Nothing was sent: this installation has no mail server. Its operator can name one with SMTP_URL, MAIL_FROM and PUBLIC_URL.';
const NO_ADDRESS =
  'Nothing was sent: your account has no e-mail address. The operator of this installation can set one with accounts set-email.';

/** Sends a report as a test; resolves to the reason if it was not sent. */
export type SendReportTest = (accountId: string, website: Website) => Promise<string | undefined>;

/** Sends tests of reports, a few a minute for each account. */
export function createReportTests({ reportMailing, ...deps }: ReportTestDependencies): SendReportTest {
  const limit = createTokenBuckets(PER_MINUTE, PER_MINUTE / 60);
  return async (accountId, website) => {
    if (reportMailing === undefined) return NO_MAIL_SERVER;
    const { allowed, retryAfter } = limit.take(accountId);
    if (!allowed) {
      const headers = { 'retry-after': String(retryAfter) };
      throw new HttpProblem('rate_limited', `Too many test reports. Send one in ${waitOf(retryAfter)}.`, headers);
    }
    try {
      const to = await sendTestReport({ ...deps, ...reportMailing }, accountId, website);
      return to === undefined ? NO_ADDRESS : undefined;
    } catch (error) {
      if (error instanceof MailFailed) return `The test report could not be sent: ${error.detail}`;
      throw error;
    }
  };
}
