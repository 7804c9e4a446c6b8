import type { ComponentChildren } from 'preact';
import { ASSETS } from './assets.ts';

interface FrameProps {
  readonly title: string;
  /** Whether the page has something to copy. */
  readonly canCopy?: boolean;
  /** Pages of forms and messages are narrow. */
  readonly width?: 'wide' | 'narrow';
  readonly children: ComponentChildren;
}

/** The document around every page. */
export function Frame({ title, canCopy = false, width = 'wide', children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={ASSETS.icon} />
        <link rel="stylesheet" href={ASSETS.style} />
        {canCopy && <script src={ASSETS.copyScript} defer />}
      </head>
      <body class={width}>{children}</body>
    </html>
  );
}
