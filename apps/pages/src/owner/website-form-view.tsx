import type { Fault } from '@hitherto/domain/base';
import { fieldNameOf } from '@hitherto/wire';
import { TextField } from './field.tsx';
import { hasLostPassword, LostPassword } from './lost-password.tsx';
import { CONTROLS } from './setting-controls.tsx';
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
}

const { privacy: Privacy, ...others } = CONTROLS;

/** All settings of a website. */
export function WebsiteForm({ action, values, shown = {}, faults, hasPassword, canWrite, submit }: WebsiteFormProps) {
  const propsOf = (setting: string) => {
    const name = fieldNameOf(setting);
    return { name, value: values[name], faults };
  };
  return (
    <form class="settings" method="post" action={action}>
      {faults.length > 0 && (
        <p class="fault" role="alert">
          Nothing was saved: {faults.length === 1 ? 'one field is' : 'some fields are'} not valid.
        </p>
      )}
      {FORM_FIELDS.map(
        (field) =>
          shown[field] !== undefined && (
            <input key={field} type="hidden" name={shownName(field)} value={shown[field]} />
          ),
      )}
      <fieldset class="all" disabled={!canWrite}>
        <TextField
          name="url"
          label="Address"
          hint="Of the website, such as example.com"
          value={values.url}
          faults={faults}
          type="text"
          inputmode="url"
          autocapitalize="none"
          spellcheck={false}
          required
          maxLength={2048}
        />
        <Privacy {...propsOf('privacy')} />
        <PasswordField values={values} faults={faults} hasPassword={hasPassword} />
        {Object.entries(others).map(([name, Control]) => (
          <Control key={name} {...propsOf(name)} />
        ))}
        <button type="submit">{submit}</button>
      </fieldset>
    </form>
  );
}

function PasswordField({ values, faults, hasPassword }: Pick<WebsiteFormProps, 'values' | 'faults' | 'hasPassword'>) {
  const isLost = hasLostPassword(values);
  const hint = hasPassword && !isLost ? 'Leave this empty to keep the current password.' : undefined;
  const field = (
    <TextField
      name="password"
      label="Password of the page"
      hint={hint}
      faults={faults}
      type="password"
      autocomplete="new-password"
    >
      <LostPassword values={values} without={hasPassword ? 'Keep the current password' : 'Set no password'} />
      {hasPassword && (
        <label class="check">
          <input type="checkbox" name="remove_password" value="1" checked={values.remove_password === '1'} />
          Remove the password
        </label>
      )}
    </TextField>
  );
  // Without a stored or lost password, there is nothing to decide before “Password” is chosen.
  return hasPassword || isLost ? field : <div class="of-password">{field}</div>;
}
