import { unlockPath } from '../statistics/paths.ts';
import type { AssetAddresses } from './frame.tsx';
import { MessagePage } from './message-page.tsx';

interface UnlockPageProps {
  readonly assets: AssetAddresses;
  readonly websiteId: string;
  readonly fault: 'none' | 'wrong' | 'too_many';
  /** Where to go on to, after the path of the page: its parameters. */
  readonly query: string;
  /** Whole seconds until the next try, with `too_many`. */
  readonly retryAfter?: number;
}

/** Asks for the password of a statistics page. */
export function UnlockPage({ assets, websiteId, fault, query, retryAfter = 0 }: UnlockPageProps) {
  return (
    <MessagePage title="Protected statistics" assets={assets}>
      <p>This page is protected by a password.</p>
      <form method="post" action={`${unlockPath(websiteId)}${query}`}>
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          maxLength={256}
          autofocus={fault !== 'too_many'}
          aria-describedby={fault === 'none' ? undefined : 'fault'}
          aria-invalid={fault === 'wrong' ? 'true' : undefined}
        />
        {fault === 'wrong' && (
          <p class="fault" id="fault">
            This is not the password.
          </p>
        )}
        {fault === 'too_many' && (
          <p class="fault" id="fault">
            Too many wrong passwords. Try again in {waitOf(retryAfter)}.
          </p>
        )}
        <button type="submit">Show the statistics</button>
      </form>
    </MessagePage>
  );
}

function waitOf(seconds: number): string {
  if (seconds <= 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
