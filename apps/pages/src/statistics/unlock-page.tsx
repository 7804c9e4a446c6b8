import { MessagePage } from '../shared/message-page.tsx';
import { unlockPath } from './paths.ts';

interface UnlockPageProps {
  readonly websiteId: string;
  /** The path of the requested page. */
  readonly parameters: string;
  /** What was wrong with the last password, or the seconds until the next try. */
  readonly refusal?: 'wrong' | number;
}

/** Asks for the password of a statistics page. */
export function UnlockPage({ websiteId, parameters, refusal }: UnlockPageProps) {
  const path = unlockPath(websiteId);
  return (
    <MessagePage title="Protected statistics">
      <p>This page is protected by a password.</p>
      <form method="post" action={parameters === '' ? path : `${path}?${parameters}`}>
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          aria-describedby={refusal === undefined ? undefined : 'fault'}
          aria-invalid={refusal === 'wrong' ? 'true' : undefined}
        />
        {refusal !== undefined && (
          <p class="fault" id="fault" role="alert">
            {refusal === 'wrong'
              ? 'This is not the password.'
              : `Too many wrong passwords. Try again in ${waitOf(refusal)}.`}
          </p>
        )}
        <button type="submit">Show the statistics</button>
      </form>
    </MessagePage>
  );
}

function waitOf(seconds: number): string {
  if (seconds === 1) return '1 second';
  return seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
