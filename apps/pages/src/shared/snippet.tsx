interface SnippetProps {
  readonly websiteId: string;
  /** Of this installation, such as `https://stats.example`. */
  readonly origin: string;
  /** Of the tracker. */
  readonly scriptPath: string;
}

/** The tag that counts a website's visits (tracker.md). */
function snippetOf({ origin, scriptPath, websiteId }: SnippetProps): string {
  return `<script defer src="${origin}${scriptPath}" data-website="${websiteId}"></script>`;
}

/** The snippet, ready to copy; without JavaScript there is no button. */
export function Snippet(props: SnippetProps) {
  return (
    <div class="snippet">
      <pre id="snippet">
        <code>{snippetOf(props)}</code>
      </pre>
      <button type="button" data-copy="snippet" hidden>
        Copy
      </button>
    </div>
  );
}
