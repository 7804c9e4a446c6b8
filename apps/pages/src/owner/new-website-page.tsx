import type { Fault } from '@hitherto/domain/base';
import type { Header } from '../shared/header.ts';
import { useLocale } from '../shared/locale.tsx';
import { NEW_WEBSITE, WEBSITES } from '../shared/paths.ts';
import { AccountTabs, type AccountTabsProps } from './accounts.tsx';
import { TextField } from './field.tsx';
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
  /** The zone of another website of the account, for browsers without scripts. */
  readonly guessedZone: string;
  readonly canWrite: boolean;
}

/** Adds a website: its address is all that has to be known, and other fields are shown only to mend them. */
export function NewWebsitePage(props: NewWebsitePageProps) {
  const { header, accounts, accountId, values, faults, guessedZone, canWrite } = props;
  const { install, settings } = useLocale().words;
  const action = accounts.length > 1 ? `${WEBSITES}?account=${accountId}` : WEBSITES;
  const isOfAddress = faults.every(({ field }) => field === 'url');
  return (
    <OwnerFrame header={header} title={install.addWebsite} guessesZone={isOfAddress}>
      <h1>{install.addWebsite}</h1>
      <ReadOnlyNotice canWrite={canWrite} />
      <AccountTabs accounts={accounts} pathOf={(id) => `${NEW_WEBSITE}?account=${id}`} />
      {isOfAddress ? (
        <form class="settings" method="post" action={action}>
          <fieldset class="all" disabled={!canWrite}>
            <TextField
              name="url"
              label={settings.address.label}
              hint={install.addressHint}
              value={values.url}
              faults={faults}
              type="text"
              inputmode="url"
              autocapitalize="none"
              spellcheck={false}
              autofocus
              required
              maxLength={2048}
            />
            <input type="hidden" name="engagement" value={values.engagement} />
            <input type="hidden" name="guessed_zone" value={guessedZone} data-zone />
            <button type="submit">{install.add}</button>
          </fieldset>
        </form>
      ) : (
        <WebsiteForm
          action={action}
          values={values}
          faults={faults}
          hasPassword={false}
          canWrite={canWrite}
          submit={install.add}
        />
      )}
    </OwnerFrame>
  );
}
