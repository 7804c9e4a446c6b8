import type { Fault } from '@hitherto/domain';
import { describedBy, Faults, Field } from './field.tsx';
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

const PRIVACIES = [
  ['0', 'Public', 'Everyone can see the statistics page.'],
  ['1', 'Private', 'Only you can see it, when you are signed in.'],
  ['2', 'Password', 'Everyone who knows the password can see it.'],
] as const;

/** All settings of a website. */
export function WebsiteForm({ action, values, shown = {}, faults, hasPassword, canWrite, submit }: WebsiteFormProps) {
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
        <Field
          name="url"
          label="Address"
          hint="The address of the website, such as https://example.com"
          faults={faults}
        >
          <input
            id="url"
            name="url"
            type="url"
            value={values.url}
            required
            maxLength={2048}
            {...describedBy('url', faults)}
          />
        </Field>
        <PrivacyChoice chosen={values.privacy} faults={faults} />
        <PasswordField values={values} faults={faults} hasPassword={hasPassword} />
        <Check
          name="exclude_bots"
          label="Exclude common bots"
          hint="Also excludes known referrer spam."
          isTicked={values.exclude_bots === '1'}
        />
        <Check
          name="email"
          label="Weekly report by e-mail"
          hint="Every Monday, about the week before, to the e-mail address of your account."
          isTicked={values.email === '1'}
        />
        <Lines
          name="exclude_params"
          label="Query parameters to exclude"
          hint="One name per line. utm_* matches all names that begin with utm_, and * matches all names."
          values={values}
          faults={faults}
        />
        <Lines
          name="exclude_ips"
          label="IP addresses to exclude"
          hint="One address or network per line, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32."
          values={values}
          faults={faults}
        />
        <button type="submit">{submit}</button>
      </fieldset>
    </form>
  );
}

function PrivacyChoice({ chosen, faults }: { readonly chosen: string | undefined; readonly faults: readonly Fault[] }) {
  return (
    <fieldset class="field choice">
      <legend>Statistics page</legend>
      {PRIVACIES.map(([value, name, meaning]) => (
        <label key={value}>
          <input type="radio" name="privacy" value={value} checked={chosen === value} required />
          <span>
            <strong>{name}</strong> {meaning}
          </span>
        </label>
      ))}
      <Faults name="privacy" faults={faults} />
    </fieldset>
  );
}

function PasswordField({ values, faults, hasPassword }: Pick<WebsiteFormProps, 'values' | 'faults' | 'hasPassword'>) {
  const hint = hasPassword ? 'Leave this empty to keep the current password.' : 'Takes effect only with “Password”.';
  return (
    <Field name="password" label="Password of the page" hint={hint} faults={faults}>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="new-password"
        {...describedBy('password', faults)}
      />
      {hasPassword && (
        <label class="check">
          <input type="checkbox" name="remove_password" value="1" checked={values.remove_password === '1'} />
          Remove the password
        </label>
      )}
    </Field>
  );
}

interface CheckProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly isTicked: boolean;
}

function Check({ name, label, hint, isTicked }: CheckProps) {
  return (
    <div class="field">
      {/* Browsers leave out a checkbox that is not checked, and what a form leaves out does not change. */}
      <input type="hidden" name={name} value="0" />
      <label class="check">
        <input type="checkbox" name={name} value="1" checked={isTicked} aria-describedby={`${name}-hint`} />
        {label}
      </label>
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    </div>
  );
}

interface LinesProps {
  readonly name: 'exclude_params' | 'exclude_ips';
  readonly label: string;
  readonly hint: string;
  readonly values: FormValues;
  readonly faults: readonly Fault[];
}

function Lines({ name, label, hint, values, faults }: LinesProps) {
  return (
    <Field name={name} label={label} hint={hint} faults={faults}>
      <textarea id={name} name={name} rows={5} spellcheck={false} value={values[name]} {...describedBy(name, faults)} />
    </Field>
  );
}
