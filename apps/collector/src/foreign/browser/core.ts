// Shared by the scripts that replace other products' trackers. They run in browsers, on other people's pages.
// They count the same as Hitherto's own tracker (tracker.md), and send it as the other product does.

export type Values = Readonly<Record<string, unknown>>;

declare global {
  interface Document {
    readonly prerendering?: boolean;
  }
}

const LOCAL_HOST = /(^|\.)localhost$|^127\.[\d.]+$|^\[::1]/;
const FILE =
  /\.(pdf|zip|rar|7z|t?gz|tar|dmg|pkg|exe|msi|deb|rpm|apk|iso|(doc|xls|ppt)x?|od[tsp]|csv|rtf|epub|mp[34])$/i;
const MAX_TRIES = 3;

/** The element of a script that the page has, or that this is. */
export function ownScript(selector: string): HTMLScriptElement | undefined {
  const current = document.currentScript;
  if (current instanceof HTMLScriptElement) return current;
  return document.querySelector<HTMLScriptElement>(selector) ?? undefined;
}

/** Whether this browser is not counted: on local pages, unless they are wanted, and where its user has turned it off. */
export function isIgnored(hasLocal: boolean, ...switches: readonly string[]): boolean {
  if (!/^http/.test(location.href) || (!hasLocal && LOCAL_HOST.test(location.hostname))) return true;
  try {
    return ['hitherto-ignore', ...switches].some((name) => localStorage.getItem(name) !== null);
  } catch {
    // Storage is forbidden here.
    return false;
  }
}

/** The address of the page; with `hash`, a fragment that is a path belongs to it. */
export function pageAddress(hash: boolean): string {
  return location.href.replace(hash ? /#(?!!?\/).*/ : /#.*/, '').slice(0, 4096);
}

/** The address that a link leads to. */
export interface Target {
  readonly href: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly pathname: string;
}

const listen = (types: readonly string[], listener: (event: Event) => void): void => {
  for (const type of types) addEventListener(type, listener, true);
};

/** Runs `work` once the page is shown; the work of a prerendered page is dropped. */
export function onceShown(work: () => void): void {
  if (document.prerendering) document.addEventListener('prerenderingchange', work, { once: true });
  else work();
}

/**
 * Counts the page now, and each page that the history shows after it, with the page before it as the referrer. The server
 * decides whether an address in the same document is another page.
 */
export function countPages(
  addressOf: () => string,
  count: (url: string, referrer: string, sameDocument: boolean) => void,
): void {
  let counted = '';
  let { referrer } = document;
  const look = (): void => {
    const address = addressOf();
    if (document.hidden || address === counted) return;
    count(address, referrer, counted !== '');
    counted = address;
    referrer = address;
  };
  for (const method of ['pushState', 'replaceState'] as const) {
    const original = history[method];
    history[method] = (...args) => {
      original.apply(history, args);
      look();
    };
  }
  // Routers on the Navigation API change neither.
  window.navigation?.addEventListener('currententrychange', look);
  listen(['popstate', 'visibilitychange', 'prerenderingchange', 'pageshow'], (event) => {
    // The back-forward cache shows the page once more.
    if ('persisted' in event && event.persisted) counted = '';
    look();
  });
  look();
}

/** A click on an element: the link that it is on, and the elements from there outwards, through open shadow roots too. */
export interface Click {
  readonly path: readonly Element[];
  readonly link: Target | undefined;
  /** The link leads to a file, or to another host. */
  readonly leadsTo: 'file' | 'elsewhere' | undefined;
}

/** Whether a path leads to a file that counts as a download. */
export type IsFile = (path: string) => boolean;
/** Whether the path ends like a file that is usually downloaded. */
export const isUsualFile: IsFile = (path) => FILE.test(path);

/** Reports clicks, with the middle button only those on links. */
export function onClicks(report: (click: Click) => void, isFile = isUsualFile): void {
  listen(['click', 'auxclick'], (event) => {
    if (!(event instanceof MouseEvent)) return;
    const path = event.composedPath().filter((node): node is Element => node instanceof Element);
    const link = path.map(targetOf).find((target) => target !== undefined);
    if (event.button > (link === undefined ? 0 : 1)) return;
    report({ path, link, leadsTo: link && kindOf(link, isFile) });
  });
}

/** Of a link, in SVG too, whose addresses are animated strings. */
function targetOf(node: Element): Target | undefined {
  if (node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement) return node.href === '' ? undefined : node;
  if (!(node instanceof SVGAElement)) return undefined;
  return Object.assign(document.createElement('a'), { href: node.href.baseVal });
}

function kindOf(link: Target, isFile: IsFile): Click['leadsTo'] {
  if (!/^http/.test(link.protocol)) return undefined;
  if (isFile(link.pathname)) return 'file';
  return link.hostname === location.hostname ? undefined : 'elsewhere';
}

/** Reports forms that are submitted. */
export function onSubmits(report: (form: HTMLFormElement) => void): void {
  listen(['submit'], ({ target }) => {
    if (target instanceof HTMLFormElement) report(target);
  });
}

/**
 * Sends a body, as text without credentials, so that there is no preflight. It never fails; only a 503 that asks for it is tried
 * again. Resolves to the status of the response, if there was one.
 */
export async function post(url: string, body?: Values): Promise<number | undefined> {
  try {
    const text = body === undefined ? null : JSON.stringify(body);
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const { status, headers } = await fetch(url, {
        method: 'POST',
        body: text,
        keepalive: true,
        credentials: 'omit',
      });
      const seconds = headers.get('Retry-After');
      if (status !== 503 || seconds === null || tries === MAX_TRIES) return status;
      await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
    }
  } catch {
    // It was not sent, or JSON has no form for the properties.
  }
  return undefined;
}

/** The folder of a script's address, with its last slash. */
export function folderOf(src: string): string {
  return src.replace(/[?#].*$/, '').replace(/[^/]*$/, '');
}
