import { Snippet } from '../shared/snippet.tsx';

interface SnippetGuideProps {
  readonly websiteId: string;
  readonly origin: string;
}

/** How to get visits counted. */
export function SnippetGuide({ websiteId, origin }: SnippetGuideProps) {
  return (
    <div class="guide">
      <p>
        Put this line into the <code>&lt;head&gt;</code> of every page:
      </p>
      <Snippet websiteId={websiteId} origin={origin} />
      <p>
        It sets no cookie and stores nothing in the browser. Visits appear on the statistics page within seconds. Pages
        on <code>localhost</code> are not counted.
      </p>
    </div>
  );
}
