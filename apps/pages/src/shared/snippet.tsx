import { useLocale } from './locale.tsx';

/** Where the tracker of this installation is. */
export interface SnippetSource {
  /** Such as `https://stats.example`. */
  readonly origin: string;
  readonly scriptPath: string;
}

interface SnippetProps extends SnippetSource {
  readonly websiteId: string;
  /** Of the element, where the page has several. */
  readonly id?: string;
}

/** The tag that counts a website's visits (tracker.md). */
function snippetOf({ origin, scriptPath, websiteId }: SnippetProps): string {
  return `<script defer src="${origin}${scriptPath}" data-website="${websiteId}"></script>`;
}

/** The snippet, ready to copy; without JavaScript there is no button. */
export function Snippet(props: SnippetProps) {
  const { id = 'snippet' } = props;
  const { copy } = useLocale().words;
  return (
    <div class="snippet">
      <pre id={id}>
        <code>{snippetOf(props)}</code>
      </pre>
      <CopyButton of={id} text={copy.copy} />
    </div>
  );
}

interface CopyButtonProps {
  /** The id of the element whose text it copies. */
  readonly of: string;
  readonly text: string;
}

/** Copies a text, and says whether it did; a script shows it. */
export function CopyButton({ of, text }: CopyButtonProps) {
  const { copy } = useLocale().words;
  return (
    <button type="button" data-copy={of} data-copied={copy.copied} data-failed={copy.notCopied} hidden>
      {text}
    </button>
  );
}
