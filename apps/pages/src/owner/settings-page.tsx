import type { Fault } from '@hitherto/domain';
import { websitePath } from '../shared/paths.ts';
import { ReportNotice } from './report-notice.tsx';
import type { ReportState } from './report-state.ts';
import type { FormValues } from './website-form.ts';
import { WebsiteForm } from './website-form-view.tsx';
import { WebsiteFrame, type WebsiteFrameProps } from './website-frame.tsx';

interface SettingsPageProps {
  readonly frame: Omit<WebsiteFrameProps, 'children'>;
  readonly values: FormValues;
  /** The values that the page showed at first. */
  readonly shown: FormValues;
  readonly faults: readonly Fault[];
  readonly hasPassword: boolean;
  readonly isSaved: boolean;
  /** Why reports do not arrive. */
  readonly reports: ReportState | undefined;
}

/** Every setting of a website. */
export function SettingsPage({ frame, values, shown, faults, hasPassword, isSaved, reports }: SettingsPageProps) {
  return (
    <WebsiteFrame {...frame}>
      {isSaved && (
        <p class="notice good" role="status">
          Saved.
        </p>
      )}
      {reports !== undefined && <ReportNotice state={reports} />}
      <WebsiteForm
        action={websitePath(frame.website.id)}
        values={values}
        shown={shown}
        faults={faults}
        hasPassword={hasPassword}
        canWrite={frame.canWrite}
        submit="Save"
      />
    </WebsiteFrame>
  );
}
