import { readReportPeriod } from '@hitherto/domain/reports';
import { ENGLISH } from '@hitherto/words';
import type { ReportState } from './report-state.ts';

/** Why the reports of a website do not arrive. */
export function ReportNotice({ state }: { readonly state: ReportState }) {
  if (state.fault === 'no_mail_server') {
    return (
      <p class="notice">
        Reports are on, but none are sent: this installation has no mail server. Its operator can name one with
        SMTP_URL, MAIL_FROM and PUBLIC_URL.
      </p>
    );
  }
  if (state.fault === 'no_address') {
    return (
      <p class="notice">
        Reports are on, but none are sent: your account has no e-mail address. The operator of this installation can set
        one with <code>accounts set-email</code>.
      </p>
    );
  }
  const { period, detail } = state.failure;
  const days = readReportPeriod(period);
  return (
    <p class="notice" role="status">
      The report about {days === undefined ? period : ENGLISH.format.period(days.from, days.to)} could not be sent:{' '}
      {detail}
    </p>
  );
}
