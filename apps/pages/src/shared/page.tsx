import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { ASSETS } from './assets.ts';

interface FrameProps {
  readonly title: string;
  /** Whether the page has something to copy. */
  readonly canCopy?: boolean;
  /** Whether the page has the form that adds a filter. */
  readonly hasFilters?: boolean;
  /** Pages of forms and messages are narrow. */
  readonly width?: 'wide' | 'narrow';
  readonly children: ComponentChildren;
}

/** The document around every page. */
export function Frame({ title, canCopy = false, hasFilters = false, width = 'wide', children }: FrameProps) {
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
        {hasFilters && <script src={ASSETS.filterScript} defer />}
      </head>
      <body class={width}>{children}</body>
    </html>
  );
}

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

/** Allows only our own style, icon, scripts and their requests, no frames, and forms to this site only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const COMMON_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
} as const;

/**
 * Gives every response of the scope the headers of pages (statistics.md, section 6). Routes whose responses may be
 * cached override this.
 */
export function addPageHeaders(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    setPageHeaders(reply);
    done();
  });
}

export function setPageHeaders(reply: FastifyReply): void {
  reply.headers({ ...COMMON_HEADERS, 'cache-control': 'no-store' });
}

/** Sends a page with the status that the reply has. */
export function sendPage(reply: FastifyReply, page: VNode): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .serializer((text: string) => text)
    .send(`<!doctype html>${render(page)}`);
}

/** Sends a part of a page, for a script. */
export function sendFragment(reply: FastifyReply, part: VNode): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .serializer((text: string) => text)
    .send(render(part));
}

/** Lets the viewer's browser cache a public page for a minute; shared caches may not. */
export function allowCaching(reply: FastifyReply): void {
  reply.header('cache-control', 'private, max-age=60').header('vary', 'Cookie');
}
