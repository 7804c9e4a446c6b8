import type { Fault } from '@hitherto/domain/base';
import type { PagesPreview } from '@hitherto/domain/reading';
import { useLocale } from '../shared/locale.tsx';
import { reportTestPath, websitePath } from '../shared/paths.ts';
import { Done, Failed } from './notices.tsx';
import { ReportNotice } from './report-notice.tsx';
import type { ReportState } from './report-state.ts';
import type { FormValues } from './website-form.ts';
import { WebsiteForm } from './website-form-view.tsx';
import { WebsiteFrame, type WebsiteFrameProps } from './website-frame.tsx';

export interface SettingsPageProps {
  readonly frame: Omit<WebsiteFrameProps, 'children'>;
  readonly values: FormValues;
  /** The values that the page showed at first. */
  readonly shown: FormValues;
  readonly faults: readonly Fault[];
  readonly hasPassword: boolean;
  readonly isSaved: boolean;
  /** Why reports do not arrive. */
  readonly reports: ReportState | undefined;
  /** The outcome of a test of the report that the owner has just asked for. */
  readonly test: ReportTestOutcome | undefined;
  /** The effect of `exclude_params` on the last days, if the owner has just asked for it. */
  readonly tried?: PagesPreview | undefined;
}

/** The address that the report was sent to, or why it was not sent. */
type ReportTestOutcome = { readonly sentTo: string } | { readonly fault: string };

/** Every setting of a website. */
export function SettingsPage(props: SettingsPageProps) {
  const { frame, values, shown, faults, hasPassword, isSaved, reports, test, tried } = props;
  const { settings } = useLocale().words;
  return (
    <WebsiteFrame {...frame}>
      <Done text={isSaved ? settings.saved : undefined} />
      {test !== undefined && 'sentTo' in test && <Done text={settings.reportSent(test.sentTo)} />}
      {test !== undefined && 'fault' in test ? (
        <Failed text={test.fault} />
      ) : (
        reports !== undefined && <ReportNotice state={reports} />
      )}
      {tried !== undefined && <Tried preview={tried} />}
      <WebsiteForm
        action={websitePath(frame.website.id)}
        values={values}
        shown={shown}
        faults={faults}
        hasPassword={hasPassword}
        canWrite={frame.canWrite}
        submit={settings.save}
        canTry
      />
      {frame.canWrite && (
        <form class="settings" method="post" action={reportTestPath(frame.website.id)}>
          <div class="field">
            <h2>{settings.testReport}</h2>
            <p class="hint">{settings.testReportHint}</p>
          </div>
          <button class="plain" type="submit">
            {settings.sendTestReport}
          </button>
        </form>
      )}
    </WebsiteFrame>
  );
}

/** Which pages would have been one. */
function Tried({ preview: { pages, merged } }: { readonly preview: PagesPreview }) {
  const { words, format } = useLocale();
  const { tried } = words.settings;
  return (
    <section class="card outcome" role="status">
      <p>{merged.length === 0 ? tried.nothing : tried.pages(format.count(pages.before), format.count(pages.after))}</p>
      {merged.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{tried.page}</th>
              <th scope="col">{tried.count}</th>
              <th scope="col">{words.figures.pageviews}</th>
            </tr>
          </thead>
          <tbody>
            {merged.map(({ into, from, count, pageviews }) => (
              <tr key={into}>
                <th scope="row">
                  <bdi title={from.join('\n')}>{into}</bdi>
                </th>
                <td>{format.count(count)}</td>
                <td>{format.count(pageviews)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
