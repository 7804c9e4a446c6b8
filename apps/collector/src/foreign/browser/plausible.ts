// In the place of Plausible's scripts: script.js with extensions in its name, and pa-….js (docs/switch/plausible.md).
import {
  countPages,
  type IsFile,
  isIgnored,
  isUsualFile,
  onClicks,
  onceShown,
  onSubmits,
  ownScript,
  pageAddress,
  post,
  type Values,
} from './core.ts';

interface EventOptions {
  readonly props?: Values;
  readonly callback?: (result?: object) => void;
  readonly u?: string;
  readonly url?: string;
  readonly interactive?: boolean;
  readonly revenue?: Values;
}

/** The options of a script that has an id, as `plausible.init` gets them. */
interface InitOptions {
  readonly endpoint?: string;
  readonly domain?: string;
  readonly hashBasedRouting?: boolean;
  readonly autoCapturePageviews?: boolean;
  readonly captureOnLocalhost?: boolean;
  readonly outboundLinks?: boolean;
  readonly fileDownloads?: boolean | { readonly fileExtensions?: readonly string[] } | null;
  readonly customProperties?: Values | ((name: string) => Values);
  readonly transformRequest?: (body: Values) => Values | undefined | null;
}

interface Plausible {
  (name: string, options?: EventOptions): void;
  /** The calls and the options that the page's stub has kept. */
  q?: readonly (readonly [name: string, options?: EventOptions | undefined])[];
  o?: InitOptions | undefined;
  init?: (options?: InitOptions) => void;
  /** A script has been loaded. */
  l?: boolean;
}

declare global {
  interface Window {
    plausible?: Plausible;
  }
}

const CLASS = /^plausible-(event|revenue)-(.+?)(?:=|--)(.+)$/;
const NAME = /\/([^/]+)\.js(?:[?#].*)?$/;
const script = ownScript('script[data-domain], script[src*="/js/pa-"]');

/** The name of a script, without its ending. */
function nameOf({ src }: HTMLScriptElement): string {
  return NAME.exec(src)?.[1] ?? '';
}

function start(element: HTMLScriptElement, stub: Plausible | undefined): void {
  const { dataset, src } = element;
  const file = nameOf(element);
  const extensions = file.split('.');
  const has = (extension: string): boolean => extensions.includes(extension);
  const id = /^pa-/.test(file) ? file : undefined;
  const given = stub?.o ?? {};
  const options: InitOptions = {
    hashBasedRouting: has('hash'),
    autoCapturePageviews: !has('manual'),
    captureOnLocalhost: has('local'),
    outboundLinks: has('outbound-links') || id !== undefined,
    fileDownloads: has('file-downloads') || id !== undefined,
    ...given,
  };
  const website = options.domain ?? dataset.domain ?? id ?? location.hostname;
  const endpoint = options.endpoint ?? dataset.api ?? new URL('/api/event', src).href;
  const isHash = options.hashBasedRouting === true;
  const { fileDownloads } = options;
  const listIn = (attribute: string) => element.getAttribute(attribute)?.split(/\s*,\s*/);
  const added = listIn('add-file-types');
  const fileExtensions =
    typeof fileDownloads === 'object' ? fileDownloads?.fileExtensions : (added ?? listIn('file-types'));
  const isFile: IsFile | undefined =
    fileExtensions &&
    ((path) =>
      (added !== undefined && isUsualFile(path)) ||
      fileExtensions.some((extension) => path.toLowerCase().endsWith(`.${extension}`.toLowerCase())));

  const isExcluded = (): boolean => {
    const matches = (list: string | undefined) =>
      list?.split(',').some((pattern) => {
        const wanted = pattern
          .trim()
          .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
          .replaceAll('**', '\0');
        const path = isHash ? location.pathname + location.hash : location.pathname;
        return new RegExp(`^${wanted.replaceAll('*', '[^/]*').replaceAll('\0', '.*')}/?$`).test(path);
      });
    if (!has('exclusions')) return false;
    return matches(dataset.exclude) === true || (Boolean(dataset.include) && matches(dataset.include) !== true);
  };

  const send = (
    name: string,
    { props, callback, u, url, interactive, revenue }: EventOptions,
    referrer: string,
    sameDocument = false,
  ): void => {
    if (isIgnored(options.captureOnLocalhost === true, 'plausible_ignore') || isExcluded()) {
      callback?.();
      return;
    }
    const custom = options.customProperties;
    const more = typeof custom === 'function' ? custom(name) : custom;
    const body: Values = {
      n: name,
      u: u ?? url ?? pageAddress(isHash),
      d: website,
      r: referrer.slice(0, 2048) || null,
      p: props === undefined && more === undefined ? undefined : { ...more, ...props },
      i: interactive,
      $: revenue,
      automated: navigator.webdriver || undefined,
      same_document: sameDocument || undefined,
    };
    const sent = options.transformRequest === undefined ? body : options.transformRequest(body);
    if (sent)
      void post(endpoint, sent).then((status) => callback?.(status === undefined ? { error: 'Not sent' } : { status }));
    else callback?.();
  };

  const track: Plausible = (name, options = {}) => onceShown(() => send(name, options, document.referrer));
  const event = (name: string, props: Values): void => track(name, { props });

  const isTagged = (node: Element): boolean =>
    (has('tagged-events') || id !== undefined) &&
    [...node.classList].some((name) => /^plausible-event-name(=|--)/.test(name));
  const sendTagged = (tagged: Element, more: Values): void => {
    const valuesOf = (wanted: string) =>
      Object.fromEntries(
        [...tagged.classList].flatMap((each) => {
          const [, kind, key, value] = CLASS.exec(each) ?? [];
          return kind !== wanted || key === undefined || value === undefined ? [] : [[key, value.replaceAll('+', ' ')]];
        }),
      );
    const { name = '', ...props } = valuesOf('event');
    track(name, { props: { ...props, ...more }, revenue: valuesOf('revenue') });
  };

  // A form counts when it is submitted, not when something in it is clicked.
  onSubmits((form) => {
    if (isTagged(form)) sendTagged(form, {});
  });
  onClicks(({ path, link, leadsTo }) => {
    // As with Plausible, a class of the element or of one of the three around it names the event.
    const tagged = path.slice(0, 4).find(isTagged);
    if (tagged !== undefined) {
      if (!(tagged instanceof HTMLFormElement)) sendTagged(tagged, link === undefined ? {} : { url: link.href });
    } else if (link !== undefined && leadsTo === 'file' && fileDownloads) {
      event('File Download', { url: link.href.replace(/[?#].*$/, '') });
    } else if (link !== undefined && leadsTo === 'elsewhere' && options.outboundLinks) {
      event('Outbound Link: Click', { url: link.href });
    }
  }, isFile);

  track.init = () => {};
  track.l = true;
  window.plausible = track;
  if (options.autoCapturePageviews !== false) {
    countPages(
      () => pageAddress(isHash),
      (u, referrer, sameDocument) => send('pageview', { u }, referrer, sameDocument),
    );
  }
  for (const call of stub?.q ?? []) track(...call);
}

/** Keeps the calls of a page that has not said its options yet, and starts with them. */
function awaitOptions(element: HTMLScriptElement, kept: Plausible['q'] = []): void {
  const calls = [...kept];
  const stub: Plausible = (...call) => void calls.push(call);
  stub.l = true;
  stub.init = (o = {}) =>
    start(
      element,
      Object.assign(() => {}, { q: calls, o }),
    );
  window.plausible = stub;
}

if (script !== undefined && window.plausible?.l !== true) {
  const { plausible } = window;
  // The script may be there before the lines of the page that call `plausible.init`.
  if (plausible?.o === undefined && /^pa-/.test(nameOf(script))) awaitOptions(script, plausible?.q);
  else start(script, plausible);
}
