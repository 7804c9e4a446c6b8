import type { ComponentChildren } from 'preact';
import { AppHeader } from '../shared/app-header.tsx';
import type { Header } from '../shared/header.ts';
import { useLocale } from '../shared/locale.tsx';
import { Frame } from '../shared/page.tsx';

interface OwnerFrameProps {
  readonly header: Header;
  readonly title: string;
  /** The link of the header that the page belongs to. */
  readonly current?: 'websites' | 'webhooks' | 'people';
  readonly canCopy?: boolean;
  readonly isWaiting?: boolean;
  readonly hasMenus?: boolean;
  readonly guessesZone?: boolean;
  readonly hasImports?: boolean;
  readonly hasPasskeys?: boolean;
  readonly children: ComponentChildren;
}

/** The document around the pages of somebody who is signed in. */
export function OwnerFrame({ header, title, current, children, ...scripts }: OwnerFrameProps) {
  return (
    <Frame title={`${title} · Hitherto`} isOwners {...scripts}>
      <AppHeader header={header} current={current} />
      <main class="owner">{children}</main>
      <footer class="notes">
        <p>Hitherto {header.version}</p>
      </footer>
    </Frame>
  );
}

/** Says why the forms of a page do nothing. */
export function ReadOnlyNotice({ canWrite }: { readonly canWrite: boolean }) {
  const { owner } = useLocale().words;
  return canWrite ? null : <p class="notice">{owner.readOnly}</p>;
}
