import type { ComponentChildren } from 'preact';
import { HOME, SIGN_OUT } from '../../owner/paths.ts';
import { type AssetAddresses, Frame } from '../frame.tsx';

interface OwnerFrameProps {
  readonly title: string;
  readonly assets: AssetAddresses;
  readonly canCopy?: boolean;
  readonly children: ComponentChildren;
}

/** The document around the pages of a signed-in owner. */
export function OwnerFrame({ title, assets, canCopy = false, children }: OwnerFrameProps) {
  return (
    <Frame title={`${title} · Hitherto`} assets={assets} canCopy={canCopy}>
      <header class="owner-header">
        <a class="brand" href={HOME}>
          Hitherto
        </a>
        <form method="post" action={SIGN_OUT}>
          <button class="plain" type="submit">
            Sign out
          </button>
        </form>
      </header>
      <main class="owner">{children}</main>
    </Frame>
  );
}
