import type { Fault } from '@hitherto/domain/base';
import { WEBSITES } from '../shared/paths.ts';
import { OwnerFrame, ReadOnlyNotice } from './owner-frame.tsx';
import type { FormValues } from './website-form.ts';
import { WebsiteForm } from './website-form-view.tsx';

interface NewWebsitePageProps {
  readonly values: FormValues;
  readonly faults: readonly Fault[];
  readonly canWrite: boolean;
}

/** Adds a website. */
export function NewWebsitePage({ values, faults, canWrite }: NewWebsitePageProps) {
  return (
    <OwnerFrame title="Add a website">
      <h1>Add a website</h1>
      <ReadOnlyNotice canWrite={canWrite} />
      <WebsiteForm
        action={WEBSITES}
        values={values}
        faults={faults}
        hasPassword={false}
        canWrite={canWrite}
        submit="Add the website"
      />
    </OwnerFrame>
  );
}
