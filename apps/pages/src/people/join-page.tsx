import type { Fault } from '@hitherto/domain/base';
import { Faults, TextField } from '../owner/field.tsx';
import type { WaysIn } from '../owner/ways-in.ts';
import { useLocale } from '../shared/locale.tsx';
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
  const { signIn } = useLocale().words;
  return (
    <form method="post" action={action}>
      {email === undefined ? (
        <TextField
          name="email"
          label={signIn.email}
          type="email"
          autocomplete="username"
          value={values.email}
          required
          maxLength={254}
          faults={faults}
        />
      ) : (
        <>
          <p>{signIn.youWillSignInAs(<strong>{email}</strong>)}</p>
          {/* For password managers. */}
          <input type="hidden" name="username" autocomplete="username" value={email} />
          <Faults name="email" faults={faults} />
        </>
      )}
      <TextField
        name="name"
        label={signIn.name}
        autocomplete="name"
        value={values.name}
        required
        maxLength={100}
        faults={faults}
      />
      <TextField
        name="password"
        label={signIn.password}
        hint={signIn.passwordHint}
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
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.setup}>
      <p>{signIn.setupText}</p>
      <PersonForms {...props} submit={signIn.signIn} />
    </MessagePage>
  );
}

/** The first owner of an account, who is signed in with its key. */
export function AddYourselfPage(props: FormProps) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.addYourself}>
      <p>{signIn.addYourselfText}</p>
      <PersonForms {...props} submit={signIn.addYourself} />
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
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.joinTitle(account)}>
      <p>{signIn.invites(invitedBy, <strong>{account}</strong>)}</p>
      <PersonForms {...form} email={email} submit={signIn.join} />
      <p>
        {signIn.already(email, (words) => (
          <a href={signInPath(form.action)}>{words}</a>
        ))}
      </p>
    </MessagePage>
  );
}

/** An invitation to the signed-in person, or to somebody else. */
export function SignedInInvitationPage({
  account,
  invitedBy,
  email,
  action,
  isOwn,
}: Omit<InvitationPageProps, 'ways' | 'values' | 'faults'> & { readonly isOwn: boolean }) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.joinTitle(account)}>
      <p>{signIn.invitesOther(invitedBy, email, <strong>{account}</strong>)}</p>
      {isOwn ? (
        <form method="post" action={action}>
          <button type="submit">{signIn.join}</button>
        </form>
      ) : (
        <p>{signIn.signedInAsOther}</p>
      )}
    </MessagePage>
  );
}
