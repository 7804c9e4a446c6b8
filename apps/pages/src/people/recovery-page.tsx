import type { Fault } from '@hitherto/domain/base';
import { TextField } from '../owner/field.tsx';
import { useLocale } from '../shared/locale.tsx';
import { MessagePage } from '../shared/page.tsx';
import { FORGOT, HOME } from '../shared/paths.ts';

interface ForgotPageProps {
  /** Whether this installation sends mails. */
  readonly canMail: boolean;
  readonly email?: string;
  readonly faults: readonly Fault[];
}

/** Asks for the address that a link for a new password is mailed to. */
export function ForgotPage({ canMail, email, faults }: ForgotPageProps) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.forgot}>
      {canMail ? (
        <form method="post" action={FORGOT}>
          <TextField
            name="email"
            label={signIn.email}
            hint={signIn.linkHint}
            type="email"
            autocomplete="username"
            value={email}
            required
            maxLength={254}
            faults={faults}
          />
          <button type="submit">{signIn.sendLink}</button>
        </form>
      ) : (
        <p>{signIn.noMails}</p>
      )}
      <p>
        <a href={HOME}>{signIn.signIn}</a>
      </p>
    </MessagePage>
  );
}

/** The same for every address. */
export function AskedPage({ email }: { readonly email: string }) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.mailbox}>
      <p>{signIn.asked(<strong>{email}</strong>)}</p>
      <p>{signIn.nothingComes}</p>
      <p>
        <a href={HOME}>{signIn.signIn}</a>
      </p>
    </MessagePage>
  );
}

interface ResetPageProps {
  readonly action: string;
  readonly email: string;
  /** Whether the link signs in, with a new password or without. */
  readonly isSignIn: boolean;
  readonly hasPasswords: boolean;
  readonly faults: readonly Fault[];
}

/** A link that is a way in: a new password is chosen, or may be. */
export function ResetPage({ action, email, isSignIn, hasPasswords, faults }: ResetPageProps) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={isSignIn ? signIn.title : signIn.chooseNew}>
      <form method="post" action={action}>
        <p>{signIn.youSignInAs(<strong>{email}</strong>)}</p>
        {hasPasswords && (
          <>
            {/* For password managers. */}
            <input type="hidden" name="username" autocomplete="username" value={email} />
            <TextField
              name="password"
              label={signIn.newPassword}
              hint={isSignIn ? signIn.keepsPassword : signIn.passwordSignsOut}
              type="password"
              autocomplete="new-password"
              required={!isSignIn}
              minLength={10}
              maxLength={256}
              faults={faults}
            />
          </>
        )}
        <button type="submit">{signIn.signIn}</button>
      </form>
    </MessagePage>
  );
}
