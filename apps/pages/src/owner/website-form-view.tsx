import type { Fault } from '@hitherto/domain/base';
import { fieldNameOf } from '@hitherto/wire';
import { Fragment } from 'preact';
import { useLocale } from '../shared/locale.tsx';
import { TextField } from './field.tsx';
import { hasLostPassword, LostPassword } from './lost-password.tsx';
import { CONTROLS, SETTING_GROUPS } from './setting-controls.tsx';
import { FORM_FIELDS, type FormValues, shownName } from './website-form.ts';

interface WebsiteFormProps {
  readonly action: string;
  readonly values: FormValues;
  /** The stored values, if there are any. */
  readonly shown?: FormValues;
  readonly faults: readonly Fault[];
  readonly hasPassword: boolean;
  readonly canWrite: boolean;
  readonly submit: string;
  /** Whether there are visits to try a setting on. */
  readonly canTry?: boolean;
}

/** All settings of a website, by intention. */
export function WebsiteForm(props: WebsiteFormProps) {
  const { action, values, shown = {}, faults, hasPassword, canWrite, submit, canTry = false } = props;
  const { settings } = useLocale().words;
  return (
    <form class="settings" method="post" action={action}>
      {faults.length > 0 && (
        <p class="fault" role="alert">
          {settings.rejected(faults.length)}
        </p>
      )}
      {FORM_FIELDS.map(
        (field) =>
          shown[field] !== undefined && (
            <input key={field} type="hidden" name={shownName(field)} value={shown[field]} />
          ),
      )}
      <fieldset class="all" disabled={!canWrite}>
        {/* The Enter key presses the first button of a form, and that is to save. */}
        {canTry && <button class="unseen" type="submit" tabIndex={-1} aria-hidden="true" />}
        {SETTING_GROUPS.map(({ name: group, settings: ofGroup }) => (
          <section key={group} class="setting-group" aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{settings.groups[group]}</h2>
            {group === 'website' && <AddressField value={values.url} faults={faults} />}
            {ofGroup.map((setting) => {
              const Control = CONTROLS[setting];
              const name = fieldNameOf(setting);
              return (
                <Fragment key={setting}>
                  <Control name={name} value={values[name]} faults={faults} />
                  {(setting === 'excludedParams' || setting === 'pageRules') && canTry && (
                    <button class="plain" type="submit" name="action" value={`try ${setting}`} formnovalidate>
                      {settings.tried.button}
                    </button>
                  )}
                  {setting === 'privacy' && <PasswordField values={values} faults={faults} hasPassword={hasPassword} />}
                </Fragment>
              );
            })}
          </section>
        ))}
        <button type="submit">{submit}</button>
      </fieldset>
    </form>
  );
}

/** The address of a website. */
function AddressField({ value, faults }: { readonly value: string | undefined; readonly faults: readonly Fault[] }) {
  const { address } = useLocale().words.settings;
  return (
    <TextField
      name="url"
      label={address.label}
      hint={address.hint}
      value={value}
      faults={faults}
      type="text"
      inputmode="url"
      autocapitalize="none"
      spellcheck={false}
      required
      maxLength={2048}
    />
  );
}

function PasswordField({ values, faults, hasPassword }: Pick<WebsiteFormProps, 'values' | 'faults' | 'hasPassword'>) {
  const { password } = useLocale().words.settings;
  const isLost = hasLostPassword(values);
  const field = (
    <TextField
      name="password"
      label={password.label}
      hint={hasPassword && !isLost ? password.keep : undefined}
      faults={faults}
      type="password"
      autocomplete="new-password"
    >
      <LostPassword values={values} without={hasPassword ? password.keepCurrent : password.setNone} />
      {hasPassword && (
        <label class="check">
          <input type="checkbox" name="remove_password" value="1" checked={values.remove_password === '1'} />
          {password.remove}
        </label>
      )}
    </TextField>
  );
  // Without a stored or lost password, there is nothing to decide before “Password” is chosen.
  return hasPassword || isLost ? field : <div class="of-password">{field}</div>;
}
