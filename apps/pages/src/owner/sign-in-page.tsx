import { MessagePage } from '../shared/page.tsx';
import { SIGN_IN } from '../shared/paths.ts';

interface SignInPageProps {
  readonly isWrong?: boolean;
}

/** Asks for an API key. */
export function SignInPage({ isWrong = false }: SignInPageProps) {
  return (
    <MessagePage title="Hitherto">
      <p>Sign in with an API key. The first start of the service prints one, and its command line creates more.</p>
      <form method="post" action={SIGN_IN}>
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          maxLength={200}
          aria-describedby={isWrong ? 'fault' : undefined}
          aria-invalid={isWrong ? 'true' : undefined}
        />
        {isWrong && (
          <p class="fault" id="fault" role="alert">
            This key is not valid, or no longer valid.
          </p>
        )}
        <button type="submit">Sign in</button>
      </form>
    </MessagePage>
  );
}
