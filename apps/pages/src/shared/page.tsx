import type { Locale } from '@hitherto/words';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { ASSETS } from './assets.ts';
import { BrandLine, useBrand } from './brand.tsx';
import { InLocale, localeFor, useLocale } from './locale.tsx';
import { accentPath, logoPath } from './paths.ts';

/** The colors of a page; `auto` follows the browser's preference. */
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

interface FrameProps {
  readonly title: string;
  /** The colors, whatever the browser prefers; as it prefers by default. */
  readonly theme?: Theme;
  /** Whether the page has something to copy. */
  readonly canCopy?: boolean;
  /** Whether the page is one of the owner's, a form or a message. */
  readonly isOwners?: boolean;
  /** Whether the page waits for the first visit. */
  readonly isWaiting?: boolean;
  /** Whether the page has a choice of periods, and may have a chart. */
  readonly hasPeriods?: boolean;
  /** Whether the page shows what goes on now. */
  readonly isLive?: boolean;
  /** Whether the page has a form that the browser tells its time zone. */
  readonly guessesZone?: boolean;
  /** Whether the page has menus, such as the form that adds a filter. */
  readonly hasMenus?: boolean;
  /** Whether the page lists imports, which may run. */
  readonly hasImports?: boolean;
  /** Whether the page has a form that needs a passkey. */
  readonly hasPasskeys?: boolean;
  /** Whether the page is in a frame of another page, which has margins of its own. */
  readonly isEmbedded?: boolean;
  /** Pages of forms and messages are narrow. */
  readonly width?: 'wide' | 'narrow';
  readonly children: ComponentChildren;
}

/** The document around every page. */
export function Frame(props: FrameProps) {
  const {
    title,
    theme = 'auto',
    isOwners = false,
    canCopy = false,
    isWaiting = false,
    hasPeriods = false,
    isLive = false,
    guessesZone = false,
    hasMenus = false,
    hasImports = false,
    hasPasskeys = false,
    isEmbedded = false,
    width = 'wide',
    children,
  } = props;
  const { language, direction } = useLocale();
  const { accent, logo } = useBrand();
  return (
    <html
      lang={language}
      dir={direction}
      class={accent === null ? undefined : 'branded'}
      data-theme={theme === 'auto' ? undefined : theme}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content={theme === 'auto' ? 'light dark' : theme} />
        <title>{title}</title>
        <link rel="icon" href={logo === null ? ASSETS.icon : logoPath(logo)} />
        <link rel="stylesheet" href={ASSETS.style} />
        {isOwners && <link rel="stylesheet" href={ASSETS.ownerStyle} />}
        {accent !== null && <link rel="stylesheet" href={accentPath(accent)} />}
        {canCopy && <script src={ASSETS.copyScript} defer />}
        {hasMenus && <script src={ASSETS.menuScript} defer />}
        {hasImports && <script src={ASSETS.importScript} defer />}
        {hasPasskeys && <script src={ASSETS.passkeyScript} defer />}
        {guessesZone && <script src={ASSETS.zoneScript} defer />}
        {isWaiting && <script src={ASSETS.waitingScript} defer />}
        {hasPeriods && <script src={ASSETS.chartScript} defer />}
        {isLive && <script src={ASSETS.liveScript} defer />}
      </head>
      <body class={isEmbedded ? `${width} embedded` : width}>{children}</body>
    </html>
  );
}

interface MessagePageProps {
  readonly title: string;
  readonly theme?: Theme;
  readonly isEmbedded?: boolean;
  readonly hasPasskeys?: boolean;
  readonly children: ComponentChildren;
}

/** A page that says one thing: not found, an error, a rejection. */
export function MessagePage({ title, children, ...look }: MessagePageProps) {
  return (
    <Frame title={title} width="narrow" isOwners {...look}>
      <main class="message">
        <BrandLine isEmbedded={look.isEmbedded} />
        <h1>{title}</h1>
        {children}
      </main>
    </Frame>
  );
}

/** Allows only our own style, icon, scripts and their requests, frames on the pages of `ancestors`, and forms to this site only. */
const contentSecurityPolicy = (ancestors: readonly string[]) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
  ].join('; ');

const COMMON_HEADERS = {
  'content-security-policy': contentSecurityPolicy([]),
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
} as const;

/**
 * Gives every response of the scope the headers of pages (pages.md). Routes whose responses may be
 * cached override this.
 */
export function addPageHeaders(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    setPageHeaders(reply);
    done();
  });
}

/** The headers of {@link addPageHeaders}, for one response. */
export function setPageHeaders(reply: FastifyReply): void {
  reply.headers({ ...COMMON_HEADERS, 'cache-control': 'no-store' });
}

/** Takes {@link allowCaching} back. */
export function forbidCaching(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
}

/** Lets pages of these origins show the page in a frame; `*` stands for all. */
export function allowFrames(reply: FastifyReply, origins: readonly string[]): void {
  reply.header('content-security-policy', contentSecurityPolicy(origins));
}

/** Keeps the addresses of the scope, which contain a secret, out of every `Referer`, also within this site. */
export function hideAddress(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    setHiddenAddress(reply);
    done();
  });
}

/** `no-referrer` would hide the origin of forms, too, which they are checked by. */
export function setHiddenAddress(reply: FastifyReply): void {
  reply.header('referrer-policy', 'strict-origin');
}

/** Sends a page with the status that the reply has, in the language of the request. */
export function sendPage(reply: FastifyReply, page: VNode, locale = localeFor(reply.request)): FastifyReply {
  setLanguage(reply, locale);
  return sendHtml(reply, renderPage(page, locale));
}

export function renderPage(page: VNode, locale: Locale): string {
  return `<!doctype html>${render(<InLocale locale={locale}>{page}</InLocale>)}`;
}

/** Sends a part of a page, for a script. */
export function sendFragment(reply: FastifyReply, part: VNode): FastifyReply {
  const locale = localeFor(reply.request);
  setLanguage(reply, locale);
  return sendHtml(reply, render(<InLocale locale={locale}>{part}</InLocale>));
}

function sendHtml(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .serializer((text: string) => text)
    .send(html);
}

/** Says in which language a response is, and that another browser may get another one. */
function setLanguage(reply: FastifyReply, { language }: Locale): void {
  const vary = reply.getHeader('vary');
  reply.header('content-language', language);
  reply.header('vary', vary === undefined ? 'Accept-Language' : `${vary}, Accept-Language`);
}

/** Lets the viewer's browser cache a public page for a minute; shared caches may not. */
export function allowCaching(reply: FastifyReply): void {
  reply.header('cache-control', 'private, max-age=60').header('vary', 'Cookie');
}
