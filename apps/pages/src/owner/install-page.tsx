import type { DropReason } from '@hitherto/domain/hits';
import type { ComponentChildren } from 'preact';
import { useLocale } from '../shared/locale.tsx';
import { statisticsPath, websitePath } from '../shared/paths.ts';
import { Snippet, type SnippetSource } from '../shared/snippet.tsx';

interface InstallPageProps {
  readonly websiteId: string;
  readonly source: SnippetSource;
  readonly isWaiting: boolean;
  /** Why hits that arrive are not counted. */
  readonly dropped: readonly { readonly reason: DropReason; readonly hits: number }[];
}

const PRODUCTS = ['Plausible', 'Umami', 'Matomo', 'GoatCounter'] as const;

/** How to get visits counted, and whether they arrive. */
export function InstallPage({ websiteId, source, isWaiting, dropped }: InstallPageProps) {
  const { install } = useLocale().words;
  const { origin, scriptPath } = source;
  const script = `${origin}${scriptPath}`;
  return (
    <div class="guide">
      {isWaiting ? <Waiting websiteId={websiteId} dropped={dropped} /> : <Counted websiteId={websiteId} />}
      <p>{install.line(<code>&lt;head&gt;</code>)}</p>
      <Snippet websiteId={websiteId} {...source} />
      <p>
        {install.about((text) => (
          <code>{text}</code>
        ))}
      </p>
      <h2>{install.ways}</h2>
      <Way name={install.tagManager} text={install.tagManagerSteps}>
        {`<script defer src="${script}#website=${websiteId}"></script>`}
      </Way>
      <Way name={install.wordpress} text={install.wordpressSteps} />
      <Way name={install.next} text={install.nextSteps}>
        {`import Script from 'next/script';\n\n<Script src="${script}" data-website="${websiteId}" />`}
      </Way>
      <Way name={install.log} text={install.logSteps}>
        {`npm run hitherto -- logs import access.log --website ${websiteId}`}
      </Way>
      {PRODUCTS.map((product) => (
        <details key={product}>
          <summary>{install.from(product)}</summary>
          <ol>
            <li>
              <a href={websitePath(websiteId)}>{install.moveAlias(product)}</a>
            </li>
            <li>{install.moveHost(product)}</li>
            <li>
              <a href={websitePath(websiteId, 'imports')}>{install.moveImport}</a>
            </li>
          </ol>
        </details>
      ))}
    </div>
  );
}

function Counted({ websiteId }: Pick<InstallPageProps, 'websiteId'>) {
  const { install } = useLocale().words;
  return (
    <p class="notice good" role="status">
      {install.counted((words) => (
        <a href={statisticsPath(websiteId)}>{words}</a>
      ))}
    </p>
  );
}

function Waiting({ websiteId, dropped }: Pick<InstallPageProps, 'websiteId' | 'dropped'>) {
  const { words, format } = useLocale();
  const { install, statistics } = words;
  const linkTo = (page: 'check' | 'goals' | 'imports') => (text: string) => (
    <a href={websitePath(websiteId, page)}>{text}</a>
  );
  return (
    <div class="notice" data-waiting={dropped.map(({ hits }) => hits).join()} role="status">
      <p>
        {install.waiting} <noscript>{statistics.waitingReload}</noscript>
      </p>
      {dropped.length > 0 && (
        <>
          <p>{install.dropped}</p>
          <ul>
            {dropped.map(({ reason, hits }) => (
              <li key={reason}>{install.droppedHits(format.count(hits), words.reasons[reason].meaning)}</li>
            ))}
          </ul>
        </>
      )}
      <p>
        {install.notArriving(linkTo('check'))} {install.meanwhile(linkTo('goals'), linkTo('imports'))}
      </p>
    </div>
  );
}

interface WayProps {
  readonly name: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

function Way({ name, text, children }: WayProps) {
  return (
    <details>
      <summary>{name}</summary>
      <p>{text}</p>
      {children !== undefined && (
        <pre>
          <code>{children}</code>
        </pre>
      )}
    </details>
  );
}
