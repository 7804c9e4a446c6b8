import { Snippet } from '../shared/snippet.tsx';

interface SnippetGuideProps {
  readonly websiteId: string;
  readonly origin: string;
  readonly scriptPath: string;
}

/** How to get visits counted. */
export function SnippetGuide({ websiteId, origin, scriptPath }: SnippetGuideProps) {
  return (
    <div class="guide">
      <p>
        Put this line into the <code>&lt;head&gt;</code> of every page:
      </p>
      <Snippet websiteId={websiteId} origin={origin} scriptPath={scriptPath} />
      <p>
        It sets no cookie and stores nothing in the browser. Visits appear on the statistics page within seconds. Pages
        on <code>localhost</code> are not counted, unless the line has <code>data-local</code>. If a tag manager drops
        attributes, put the id into the address of the script: <code>{`${scriptPath}#website=${websiteId}`}</code>.
      </p>
    </div>
  );
}
