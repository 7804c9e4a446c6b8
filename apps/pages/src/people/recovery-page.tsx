import type { Fault } from '@hitherto/domain/base';
import { TextField } from '../owner/field.tsx';
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
  return (
    <MessagePage title="Forgot your password?">
      {canMail ? (
        <form method="post" action={FORGOT}>
          <TextField
            name="email"
            label="E-mail address"
            hint="You get a link for a new password."
            type="email"
            autocomplete="username"
            value={email}
            required
            maxLength={254}
            faults={faults}
          />
          <button type="submit">Send the link</button>
        </form>
      ) : (
        <p>This installation sends no mails. Whoever runs it can make a link that signs you in.</p>
      )}
      <p>
        <a href={HOME}>Sign in</a>
      </p>
    </MessagePage>
  );
}

/** The same for every address. */
export function AskedPage({ email }: { readonly email: string }) {
  return (
    <MessagePage title="Look into your mailbox">
      <p>
        If somebody signs in here with <strong>{email}</strong>, and has confirmed that address, a link for a new
        password is on its way. It works once, for an hour.
      </p>
      <p>Nothing comes? At most three links an hour are sent. Whoever runs this installation can make a link, too.</p>
      <p>
        <a href={HOME}>Sign in</a>
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
  const title = isSignIn ? 'Sign in' : 'Choose a new password';
  const kept = isSignIn ? ' Leave it empty to keep the one you have.' : '';
  return (
    <MessagePage title={title}>
      <form method="post" action={action}>
        <p>
          You sign in as <strong>{email}</strong>.
        </p>
        {hasPasswords && (
          <>
            {/* For password managers. */}
            <input type="hidden" name="username" autocomplete="username" value={email} />
            <TextField
              name="password"
              label="New password"
              hint={`At least 10 characters. You are signed out everywhere else.${kept}`}
              type="password"
              autocomplete="new-password"
              required={!isSignIn}
              minLength={10}
              maxLength={256}
              faults={faults}
            />
          </>
        )}
        <button type="submit">Sign in</button>
      </form>
    </MessagePage>
  );
}
