import type { ComponentChildren } from 'preact';
import { useLocale } from '../shared/locale.tsx';
import { MessagePage } from '../shared/page.tsx';
import { FORGOT, HOME, SIGN_IN, SIGN_IN_PASSKEY, SIGN_IN_PROVIDER } from '../shared/paths.ts';
import { leadingTo } from '../shared/sign-in-path.ts';
import type { WaysIn } from './ways-in.ts';

interface SignInPageProps {
  readonly ways: WaysIn;
  /** The address that the form leads on to. */
  readonly next: string | undefined;
  /** What was wrong. */
  readonly wrong?: 'person' | 'key' | undefined;
  readonly email?: string | undefined;
}

/** Asks for an address and a password, leads to the provider, or asks for an API key. */
export function SignInPage({ ways: { hasPasswords, provider }, next, wrong, email = '' }: SignInPageProps) {
  const { signIn } = useLocale().words;
  const leads = next !== undefined && next !== HOME && <input type="hidden" name="next" value={next} />;
  return (
    <MessagePage title={signIn.title}>
      {hasPasswords && <PasswordForm leads={leads} wrong={wrong} email={email} />}
      {provider !== undefined && (
        <p>
          <a class="button" href={leadingTo(next, SIGN_IN_PROVIDER)}>
            {signIn.withProvider(provider.client.name)}
          </a>
        </p>
      )}
      {hasPasswords && (
        <form method="post" action={SIGN_IN_PASSKEY}>
          {leads}
          <button class="plain" type="submit">
            {signIn.usePasskey}
          </button>
        </form>
      )}
      <section>
        <h2>{signIn.withKey}</h2>
        <form method="post" action={SIGN_IN}>
          {leads}
          <label for="key">{signIn.key}</label>
          <p class="hint" id="key-hint">
            {signIn.keyHint}
          </p>
          <input
            id="key"
            name="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            maxLength={200}
            aria-describedby={wrong === 'key' ? 'key-hint fault' : 'key-hint'}
            aria-invalid={wrong === 'key' ? 'true' : undefined}
          />
          {wrong === 'key' && <Wrong text={signIn.wrongKey} />}
          <button type="submit">{signIn.useKey}</button>
        </form>
      </section>
    </MessagePage>
  );
}

interface PasswordFormProps extends Pick<SignInPageProps, 'wrong' | 'email'> {
  readonly leads: ComponentChildren;
}

function PasswordForm({ leads, wrong, email }: PasswordFormProps) {
  const { signIn } = useLocale().words;
  return (
    <>
      <form method="post" action={SIGN_IN}>
        {leads}
        <label for="email">{signIn.email}</label>
        <input id="email" name="email" type="email" autocomplete="username" value={email} required maxLength={254} />
        <label for="password">{signIn.password}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          maxLength={256}
          aria-describedby={wrong === 'person' ? 'fault' : undefined}
          aria-invalid={wrong === 'person' ? 'true' : undefined}
        />
        {wrong === 'person' && <Wrong text={signIn.wrongPerson} />}
        <button type="submit">{signIn.signIn}</button>
      </form>
      <p>
        <a href={FORGOT}>{signIn.forgot}</a>
      </p>
    </>
  );
}

function Wrong({ text }: { readonly text: string }) {
  return (
    <p class="fault" id="fault" role="alert">
      {text}
    </p>
  );
}
