import type { Fault } from '@hitherto/domain/base';
import { NEW_WEBSITE, WEBSITES } from '../shared/paths.ts';
import { AccountTabs, type AccountTabsProps } from './accounts.tsx';
import type { Header } from './header.ts';
import { OwnerFrame, ReadOnlyNotice } from './owner-frame.tsx';
import type { FormValues } from './website-form.ts';
import { WebsiteForm } from './website-form-view.tsx';

interface NewWebsitePageProps {
  readonly header: Header;
  /** Where there are several to choose from. */
  readonly accounts: AccountTabsProps['accounts'];
  /** The account that gets it. */
  readonly accountId: string;
  readonly values: FormValues;
  readonly faults: readonly Fault[];
  readonly canWrite: boolean;
}

/** Adds a website. */
export function NewWebsitePage({ header, accounts, accountId, values, faults, canWrite }: NewWebsitePageProps) {
  return (
    <OwnerFrame header={header} title="Add a website">
      <h1>Add a website</h1>
      <ReadOnlyNotice canWrite={canWrite} />
      <AccountTabs accounts={accounts} pathOf={(id) => `${NEW_WEBSITE}?account=${id}`} />
      <WebsiteForm
        action={accounts.length > 1 ? `${WEBSITES}?account=${accountId}` : WEBSITES}
        values={values}
        faults={faults}
        hasPassword={false}
        canWrite={canWrite}
        submit="Add the website"
      />
    </OwnerFrame>
  );
}
