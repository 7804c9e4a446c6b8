interface SnippetProps {
  readonly websiteId: string;
  /** Of this installation, such as `https://stats.example`. */
  readonly origin: string;
}

/** The tag that counts a website's visits (statistics.md, section 8). */
function snippetOf(origin: string, websiteId: string): string {
  return `<script defer src="${origin}/script.js" data-website="${websiteId}"></script>`;
}

/** The snippet, ready to copy; without JavaScript there is no button. */
export function Snippet({ websiteId, origin }: SnippetProps) {
  return (
    <div class="snippet">
      <pre id="snippet">
        <code>{snippetOf(origin, websiteId)}</code>
      </pre>
      <button type="button" data-copy="snippet" hidden>
        Copy
      </button>
    </div>
  );
}
