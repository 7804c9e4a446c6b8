import { MessagePage } from './message-page.tsx';

/** The same page for what does not exist and for what the viewer may not see (statistics.md, section 6). */
export function NotFoundPage() {
  return (
    <MessagePage title="Not found">
      <p>There is no page at this address, or it is private.</p>
      <p>
        If it is yours, <a href="/">sign in</a> and open it again.
      </p>
    </MessagePage>
  );
}
