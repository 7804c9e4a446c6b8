import type { Fault } from '@hitherto/domain';
import { WEBSITES } from '../../owner/paths.ts';
import type { FormValues } from '../../owner/website-form.ts';
import { OwnerFrame } from './owner-frame.tsx';
import { WebsiteForm } from './website-form.tsx';

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
