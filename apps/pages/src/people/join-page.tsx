import type { Fault } from '@hitherto/domain/base';
import { Faults, TextField } from '../owner/field.tsx';
import type { WaysIn } from '../owner/ways-in.ts';
import { MessagePage } from '../shared/page.tsx';
import { signInPath } from '../shared/sign-in-path.ts';
import { ProviderButton } from './provider-page.tsx';

interface PersonFormProps {
  readonly ways: WaysIn;
  readonly action: string;
  readonly submit: string;
  /** Fixed by an invitation; otherwise it is asked for. */
  readonly email?: string | undefined;
  readonly values: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
}

/** How somebody chooses to sign in: with a password, or through the provider, which says who they are. */
function PersonForms({ ways: { hasPasswords, provider }, ...form }: PersonFormProps) {
  return (
    <>
      {hasPasswords && <PersonForm {...form} />}
      {provider !== undefined && <ProviderButton action={`${form.action}/provider`} name={provider.client.name} />}
    </>
  );
}

/** The form in which somebody chooses their name and password, and their address where nothing fixes it. */
function PersonForm({ action, submit, email, values, faults }: Omit<PersonFormProps, 'ways'>) {
  return (
    <form method="post" action={action}>
      {email === undefined ? (
        <TextField
          name="email"
          label="E-mail address"
          type="email"
          autocomplete="username"
          value={values.email}
          required
          maxLength={254}
          faults={faults}
        />
      ) : (
        <>
          <p>
            You will sign in as <strong>{email}</strong>.
          </p>
          {/* For password managers. */}
          <input type="hidden" name="username" autocomplete="username" value={email} />
          <Faults name="email" faults={faults} />
        </>
      )}
      <TextField
        name="name"
        label="Name"
        autocomplete="name"
        value={values.name}
        required
        maxLength={100}
        faults={faults}
      />
      <TextField
        name="password"
        label="Password"
        hint="At least 10 characters."
        type="password"
        autocomplete="new-password"
        required
        minLength={10}
        maxLength={256}
        faults={faults}
      />
      <button type="submit">{submit}</button>
    </form>
  );
}

type FormProps = Pick<PersonFormProps, 'ways' | 'action' | 'values' | 'faults'>;

/** The first owner of an installation. */
export function SetupPage(props: FormProps) {
  return (
    <MessagePage title="Set up Hitherto">
      <p>Choose how you sign in. You will be the owner, and can invite others.</p>
      <PersonForms {...props} submit="Sign in" />
    </MessagePage>
  );
}

/** The first owner of an account, who is signed in with its key. */
export function AddYourselfPage(props: FormProps) {
  return (
    <MessagePage title="Add yourself">
      <p>
        You will be the owner of this account: you sign in without a key, and can invite others. The keys of the account
        stay.
      </p>
      <PersonForms {...props} submit="Add yourself" />
    </MessagePage>
  );
}

interface InvitationPageProps extends FormProps {
  readonly account: string;
  readonly invitedBy: string;
  readonly email: string;
}

/** An invitation to somebody who may have a sign-in, or not. */
export function InvitationPage({ account, invitedBy, email, ...form }: InvitationPageProps) {
  return (
    <MessagePage title={`Join ${account}`}>
      <p>
        {invitedBy} invites you to the account <strong>{account}</strong>.
      </p>
      <PersonForms {...form} email={email} submit="Join" />
      <p>
        Do you sign in here with {email} already? <a href={signInPath(form.action)}>Sign in</a>, then join.
      </p>
    </MessagePage>
  );
}

/** An invitation to whoever is signed in, or to somebody else. */
export function SignedInInvitationPage({
  account,
  invitedBy,
  email,
  action,
  isOwn,
}: Omit<InvitationPageProps, 'ways' | 'values' | 'faults'> & { readonly isOwn: boolean }) {
  return (
    <MessagePage title={`Join ${account}`}>
      <p>
        {invitedBy} invites {email} to the account <strong>{account}</strong>.
      </p>
      {isOwn ? (
        <form method="post" action={action}>
          <button type="submit">Join</button>
        </form>
      ) : (
        <p>You are signed in as somebody else. Sign out first, or open the link in another browser.</p>
      )}
    </MessagePage>
  );
}
