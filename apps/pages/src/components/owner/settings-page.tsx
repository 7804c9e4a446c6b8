import type { Fault } from '@hitherto/domain';
import { type WebsitePage, websitePath } from '../../owner/paths.ts';
import type { FormValues } from '../../owner/website-form.ts';
import type { WebsiteView } from '../../statistics/view.ts';
import type { AssetAddresses } from '../frame.tsx';
import { WebsiteForm } from './website-form.tsx';
import { WebsiteFrame } from './website-frame.tsx';

interface SettingsPageProps {
  readonly frame: {
    readonly website: WebsiteView;
    readonly page: WebsitePage;
    readonly assets: AssetAddresses;
    readonly canWrite: boolean;
  };
  readonly values: FormValues;
  readonly faults: readonly Fault[];
  readonly hasPassword: boolean;
  readonly isSaved: boolean;
  readonly sendsReports: boolean;
}

/** Every setting of a website. */
export function SettingsPage({ frame, values, faults, hasPassword, isSaved, sendsReports }: SettingsPageProps) {
  return (
    <WebsiteFrame {...frame}>
      {isSaved && (
        <p class="notice good" role="status">
          Saved.
        </p>
      )}
      {!sendsReports && values.email === '1' && (
        <p class="notice">Reports are on, and nothing is sent: this installation has no mail server set.</p>
      )}
      <WebsiteForm
        action={websitePath(frame.website.id)}
        values={values}
        faults={faults}
        hasPassword={hasPassword}
        canWrite={frame.canWrite}
        submit="Save"
      />
    </WebsiteFrame>
  );
}
