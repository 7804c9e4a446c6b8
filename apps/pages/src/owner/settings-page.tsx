import type { Fault } from '@hitherto/domain/base';
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
}

/** The address that the report was sent to, or why it was not sent. */
export type ReportTestOutcome = { readonly sentTo: string } | { readonly fault: string };

/** Every setting of a website. */
export function SettingsPage({ frame, values, shown, faults, hasPassword, isSaved, reports, test }: SettingsPageProps) {
  return (
    <WebsiteFrame {...frame}>
      <Done text={isSaved ? 'Saved.' : undefined} />
      {test !== undefined && 'sentTo' in test && <Done text={`The latest report was sent to ${test.sentTo}.`} />}
      {test !== undefined && 'fault' in test ? (
        <Failed text={test.fault} />
      ) : (
        reports !== undefined && <ReportNotice state={reports} />
      )}
      <WebsiteForm
        action={websitePath(frame.website.id)}
        values={values}
        shown={shown}
        faults={faults}
        hasPassword={hasPassword}
        canWrite={frame.canWrite}
        submit="Save"
      />
      {frame.canWrite && (
        <form class="settings" method="post" action={reportTestPath(frame.website.id)}>
          <div class="field">
            <h2>Test report</h2>
            <p class="hint">
              Mails the latest report to the e-mail address of your account now. It is still sent when it is due.
            </p>
          </div>
          <button class="plain" type="submit">
            Send a test report
          </button>
        </form>
      )}
    </WebsiteFrame>
  );
}
