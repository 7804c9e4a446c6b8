import { Snippet } from '../shared/snippet.tsx';
import type { WebsiteView } from './view.ts';

interface EmptyWebsiteProps {
  readonly website: WebsiteView;
  readonly origin: string;
}

/** What to do while a website has no hits. */
export function EmptyWebsite({ website, origin }: EmptyWebsiteProps) {
  return (
    <section class="card empty" aria-labelledby="empty-title">
      <h2 id="empty-title">Waiting for the first visit</h2>
      <ol>
        <li>
          Put this line into the <code>&lt;head&gt;</code> of every page of <strong>{website.address}</strong>:
          <Snippet websiteId={website.id} origin={origin} />
        </li>
        <li>Open one of these pages in a browser.</li>
        <li>Load this page again: the visit appears within seconds.</li>
      </ol>
    </section>
  );
}
