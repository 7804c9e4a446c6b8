import { MessagePage } from '../shared/page.tsx';
import { HOME, SIGN_IN } from '../shared/paths.ts';

interface SignInPageProps {
  /** The address that the form leads on to. */
  readonly to: string | undefined;
  readonly isWrong?: boolean;
}

/** Asks for an API key. */
export function SignInPage({ to = HOME, isWrong = false }: SignInPageProps) {
  return (
    <MessagePage title="Sign in">
      <form method="post" action={SIGN_IN}>
        {to !== HOME && <input type="hidden" name="to" value={to} />}
        <label for="key">Key</label>
        <p class="hint" id="key-hint">
          Ask whoever runs this installation for one.
        </p>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          maxLength={200}
          aria-describedby={isWrong ? 'key-hint fault' : 'key-hint'}
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
