import type { ComponentChildren } from 'preact';
import { type AssetAddresses, Frame } from './frame.tsx';

interface MessagePageProps {
  readonly title: string;
  readonly assets: AssetAddresses;
  readonly children: ComponentChildren;
}

/** A page that says one thing: not found, an error, a refusal. */
export function MessagePage({ title, assets, children }: MessagePageProps) {
  return (
    <Frame title={title} assets={assets} width="narrow">
      <main class="message">
        <h1>{title}</h1>
        {children}
      </main>
    </Frame>
  );
}
