import type { ComponentChildren } from 'preact';
import { Frame } from './frame.tsx';

interface MessagePageProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A page that says one thing: not found, an error, a refusal. */
export function MessagePage({ title, children }: MessagePageProps) {
  return (
    <Frame title={title} width="narrow">
      <main class="message">
        <h1>{title}</h1>
        {children}
      </main>
    </Frame>
  );
}
