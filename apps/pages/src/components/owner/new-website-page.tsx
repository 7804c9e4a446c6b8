import type { Fault } from '@hitherto/domain';
import { WEBSITES } from '../../owner/paths.ts';
import type { FormValues } from '../../owner/website-form.ts';
import type { AssetAddresses } from '../frame.tsx';
import { OwnerFrame } from './owner-frame.tsx';
import { WebsiteForm } from './website-form.tsx';

interface NewWebsitePageProps {
  readonly assets: AssetAddresses;
  readonly values: FormValues;
  readonly faults: readonly Fault[];
  readonly canWrite: boolean;
}

/** Adds a website. */
export function NewWebsitePage({ assets, values, faults, canWrite }: NewWebsitePageProps) {
  return (
    <OwnerFrame title="Add a website" assets={assets}>
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
