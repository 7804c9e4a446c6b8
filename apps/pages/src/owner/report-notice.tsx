import { readReportPeriod } from '@hitherto/domain/reports';
import { useLocale } from '../shared/locale.tsx';
import type { ReportState } from './report-state.ts';

/** Why the reports of a website do not arrive. */
export function ReportNotice({ state }: { readonly state: ReportState }) {
  const { words, format } = useLocale();
  const { settings } = words;
  if (state.fault === 'no_mail_server') return <p class="notice">{settings.noMailServer}</p>;
  if (state.fault === 'no_address') return <p class="notice">{settings.noMailAddress}</p>;
  const { period, detail } = state.failure;
  const days = readReportPeriod(period);
  return (
    <p class="notice" role="status">
      {settings.reportFailed(days === undefined ? period : format.period(days.from, days.to), detail)}
    </p>
  );
}
