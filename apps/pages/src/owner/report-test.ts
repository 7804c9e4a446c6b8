import type { AnnotationRepository } from '@hitherto/domain/annotations';
import type { FindingRepository } from '@hitherto/domain/checks';
import type { DefinitionRepositories } from '@hitherto/domain/definitions';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { MailFailed, sendTestReport } from '@hitherto/domain/reports';
import type { Website } from '@hitherto/domain/websites';
import { createTokenBuckets, HttpProblem } from '@hitherto/http';
import type { Locale } from '@hitherto/words';
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

/** Sends a report as a test; resolves to the reason if it was not sent. */
type SendReportTest = (locale: Locale, accountId: string, website: Website) => Promise<string | undefined>;

/** Sends tests of reports, a few a minute for each account. */
export function createReportTests({ reportMailing, ...deps }: ReportTestDependencies): SendReportTest {
  const limit = createTokenBuckets(PER_MINUTE, PER_MINUTE / 60);
  return async ({ words: { settings, errors } }, accountId, website) => {
    if (reportMailing === undefined) return settings.testNoServer;
    const { allowed, retryAfter } = limit.take(accountId);
    if (!allowed) {
      const headers = { 'retry-after': String(retryAfter) };
      throw new HttpProblem('rate_limited', settings.testTooMany(errors.wait(retryAfter)), headers);
    }
    try {
      const to = await sendTestReport({ ...deps, ...reportMailing }, accountId, website);
      return to === undefined ? settings.testNoAddress : undefined;
    } catch (error) {
      if (error instanceof MailFailed) return settings.testFailed(error.detail);
      throw error;
    }
  };
}
