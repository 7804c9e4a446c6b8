import { type Fault, InvalidFields } from '@hitherto/domain/base';
import type { Locale } from '@hitherto/words';

// No page contains a password, so a form that is shown again has lost the one that was typed. Sent once more without it, the
// form would open what was meant to be protected: it needs the password again, or the decision to do without.

/** The fields of a form that has a password; `1` is a box that is ticked. */
export interface PasswordValues {
  readonly password?: string | undefined;
  /** Whether the form was sent with a password before. */
  readonly lost_password?: string | undefined;
  /** Whether no password is wanted after all. */
  readonly no_password?: string | undefined;
  /** Whether the stored password is to be removed. */
  readonly remove_password?: string | undefined;
}

function missing({ words }: Locale): Fault {
  return { field: 'password', code: 'required', detail: words.settings.passwordAgain };
}

/** Whether the form, when it is shown again, lacks a password that was typed. */
export function hasLostPassword({ password, lost_password }: PasswordValues): boolean {
  return Boolean(password) || lost_password === '1';
}

/** Rejects a form whose lost password was not typed again. Throws `InvalidFields`. */
export function requireLostPassword(locale: Locale, values: PasswordValues): void {
  if (!values.password && hasLostPassword(values) && !doesWithout(values)) throw new InvalidFields([missing(locale)]);
}

/** The faults of a form that is shown again, with one at the password if that has to be typed again. */
export function withLostPassword(locale: Locale, values: PasswordValues, faults: readonly Fault[]): readonly Fault[] {
  const isMissing = hasLostPassword(values) && !doesWithout(values);
  return isMissing && faults.every(({ field }) => field !== 'password') ? [...faults, missing(locale)] : faults;
}

interface LostPasswordProps {
  readonly values: PasswordValues;
  /** What it means to do without. */
  readonly without: string;
}

/** Marks a form that has lost its password, and offers to do without; to be put below the field. */
export function LostPassword({ values, without }: LostPasswordProps) {
  if (!hasLostPassword(values)) return null;
  return (
    <>
      <input type="hidden" name="lost_password" value="1" />
      <label class="check">
        <input type="checkbox" name="no_password" value="1" checked={!values.password && values.no_password === '1'} />
        {without}
      </label>
    </>
  );
}

/** Whether the form says to do without a password. A typed one counts, whatever boxes are ticked. */
function doesWithout({ password, no_password, remove_password }: PasswordValues): boolean {
  return !password && (no_password === '1' || remove_password === '1');
}
