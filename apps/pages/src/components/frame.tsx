import type { ComponentChildren } from 'preact';

/** The addresses of the files that a page refers to. */
export interface AssetAddresses {
  readonly style: string;
  readonly icon: string;
  /** The script of the copy buttons, the only script of the pages. */
  readonly copyScript: string;
}

interface FrameProps {
  readonly title: string;
  readonly assets: AssetAddresses;
  /** Whether the page has something to copy. */
  readonly canCopy?: boolean;
  /** Pages of forms and messages are narrow. */
  readonly width?: 'wide' | 'narrow';
  readonly children: ComponentChildren;
}

/** The document around every page. */
export function Frame({ title, assets, canCopy = false, width = 'wide', children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={assets.icon} />
        <link rel="stylesheet" href={assets.style} />
        {canCopy && <script src={assets.copyScript} defer />}
      </head>
      <body class={width}>{children}</body>
    </html>
  );
}
