import type { ComponentChildren } from 'preact';
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
  const leads = next !== undefined && next !== HOME && <input type="hidden" name="next" value={next} />;
  return (
    <MessagePage title="Sign in">
      {hasPasswords && <PasswordForm leads={leads} wrong={wrong} email={email} />}
      {provider !== undefined && (
        <p>
          <a class="button" href={leadingTo(next, SIGN_IN_PROVIDER)}>
            Sign in with {provider.client.name}
          </a>
        </p>
      )}
      {hasPasswords && (
        <form method="post" action={SIGN_IN_PASSKEY}>
          {leads}
          <button class="plain" type="submit">
            Use a passkey
          </button>
        </form>
      )}
      <section>
        <h2>With an API key</h2>
        <form method="post" action={SIGN_IN}>
          {leads}
          <label for="key">Key</label>
          <p class="hint" id="key-hint">
            Ask whoever runs this installation for one.
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
          {wrong === 'key' && <Wrong text="This key is not valid, or no longer valid." />}
          <button type="submit">Use the key</button>
        </form>
      </section>
    </MessagePage>
  );
}

interface PasswordFormProps extends Pick<SignInPageProps, 'wrong' | 'email'> {
  readonly leads: ComponentChildren;
}

function PasswordForm({ leads, wrong, email }: PasswordFormProps) {
  return (
    <>
      <form method="post" action={SIGN_IN}>
        {leads}
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" autocomplete="username" value={email} required maxLength={254} />
        <label for="password">Password</label>
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
        {wrong === 'person' && <Wrong text="The address or the password is wrong." />}
        <button type="submit">Sign in</button>
      </form>
      <p>
        <a href={FORGOT}>Forgot your password?</a>
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
