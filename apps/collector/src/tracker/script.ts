// The tracker: runs in browsers, on other people's pages (tracker.md). Built by build.mjs; a test bounds its size.

type Props = Readonly<Record<string, string | number | boolean>>;

interface Track {
  (name: string, props?: Props): void;
  /** The calls that a stub has recorded until this script loads. */
  readonly q?: readonly Parameters<Track>[];
  /** Endpoint and website of each script that counts this page. */
  on?: string;
}

/** The parts of events that the listeners read. */
interface PageEvent extends MouseEvent {
  readonly persisted?: boolean;
}

declare global {
  interface Window {
    hitherto?: Track;
  }
  interface Document {
    readonly prerendering?: boolean;
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

const LOCAL_HOST = /(^|\.)localhost$|^127[\d.]+$|^\[::1]/;
const FILE =
  /\.(pdf|zip|rar|7z|t?gz|tar|dmg|pkg|exe|msi|deb|rpm|apk|iso|(doc|xls|ppt)x?|od[tsp]|csv|rtf|epub|mp[34])$/i;

// A classic script has an element while it runs; a module has none, nor has a script in a bundle.
const { dataset, src = '' } = (document.currentScript ||
  document.querySelector('[data-website]') ||
  {}) as Partial<HTMLScriptElement>;
/** Loads further code, which few pages need: from the same path, which a content security policy may name alone. */
const load = (query: string) => import(new URL(query, src).href);
/** As attributes, or in the fragment of the script's address: some tag managers drop attributes. */
const options: Record<string, string | undefined> = {
  ...Object.fromEntries(new URLSearchParams(src.split('#')[1])),
  ...dataset,
};
const { website = '' } = options;
const endpoint = options.endpoint || (src && new URL('hits', src));
/** Why the script does not count. */
const off = !(website && endpoint)
  ? 'no data-website'
  : !('local' in options) && LOCAL_HOST.test(location.hostname)
    ? 'localhost: no data-local'
    : !/^http/.test(location.href)
      ? location.protocol
      : 'dnt' in options && (navigator.doNotTrack === '1' || navigator.globalPrivacyControl) && 'dnt';
/** The website that this script counts for, and the address that it sends to. */
const counter = endpoint + website;
/** The part of an address that makes no other page. */
const anchor = 'hash' in options ? /#(?!!?\/).*/ : /#.*/;

let counted: string | undefined;
/** The event that the current click has sent. */
let clicked: string | undefined;
let { referrer } = document;

/** Listens from the capturing phase on, before a listener of the page can stop the event. */
const on = (types: readonly string[], listener: (event: PageEvent) => void): void => {
  for (const type of types) addEventListener(type, listener as EventListener, true);
};

const addressOf = (): string => location.href.replace(anchor, '').slice(0, 4096);

/** Sends a hit. It never fails: the page must not notice. */
const send = async (name?: string, props?: Props): Promise<void> => {
  try {
    if (off || (!('nostorage' in options) && 'hitherto-ignore' in localStorage)) return;
  } catch {
    // Storage is forbidden here.
  }
  try {
    const body = JSON.stringify({
      url: addressOf(),
      website,
      referrer: referrer.slice(0, 2048),
      name,
      props,
      automated: navigator.webdriver || undefined,
      // The referrer is the address before, and the server knows whether that is another page.
      same_document: name || !counted ? undefined : true,
      // Exists for this page alone, and nowhere in the browser.
      view: name ? undefined : (Math.random() * 4e9) >>> 0,
    });
    const sent = Date.now();
    for (let tries = 3; tries--; ) {
      const response = await fetch(endpoint, { method: 'POST', body, keepalive: true, credentials: 'omit' });
      if (response.headers.get('hitherto-measure')) (await load('?measure')).default(body, endpoint, sent);
      const seconds = response.headers.get('retry-after');
      // Any other failure may have been counted.
      if (!seconds || response.status !== 503) return;
      await new Promise((resolve) => setTimeout(resolve, (seconds as unknown as number) * 1000));
    }
  } catch {
    // It was not sent, or JSON has no form for the properties.
  }
};

const countPage = (): void => {
  const address = addressOf();
  if (document.hidden || address === counted) return;
  void send();
  referrer = counted = address;
};

const track: Track = (name, props) => {
  // The requests of a page that is not shown yet are dropped.
  if (document.prerendering) on(['prerenderingchange'], () => send(name, props));
  else void send(name, props);
};

// A page with Umami's snippet, which alone loads the code that it needs.
if (options.websiteId) load('?umami').catch(() => {});
// A page may have the snippet twice, and some frameworks run its scripts again: it is counted once.
else if (!self.hitherto?.on?.includes(counter)) {
  for (const method of ['pushState', 'replaceState'] as const) {
    const original = history[method];
    history[method] = (...args) => {
      original.apply(history, args);
      countPage();
    };
  }

  // Routers on the Navigation API call neither.
  self.navigation?.addEventListener('currententrychange', countPage);

  on(['popstate', 'visibilitychange', 'prerenderingchange', 'pageshow'], ({ persisted }) => {
    // The back-forward cache shows the page once more.
    if (persisted) counted = '';
    countPage();
  });

  on(['click', 'auxclick'], (event) => {
    // From the element that was clicked outwards, through open shadow roots too.
    const path = event.composedPath() as HTMLAnchorElement[];
    const found = path.find(({ localName, href }) => /^a/.test(localName) && href);
    const link = found && document.createElement('a');
    // In SVG, the address is an animated string.
    if (link) link.href = (found.href as string & Partial<SVGAnimatedString>).baseVal ?? found.href;
    // The middle button opens links, and nothing else.
    if (event.button > (link ? 1 : 0)) return;
    const name = path.find((node) => node.dataset?.hithertoEvent)?.dataset.hithertoEvent;
    if (name) {
      // A click on a label clicks its control too, in the same task.
      if (name !== clicked) track(name);
      clicked = name;
      setTimeout(() => {
        clicked = '';
      });
    } else if (link && /^http/.test(link.protocol)) {
      const isFile = FILE.test(link.pathname);
      if (isFile || link.hostname !== location.hostname) {
        track(isFile ? 'Download' : 'Outbound link', { url: (link.hostname + link.pathname).slice(0, 200) });
      }
    }
  });

  const kept = self.hitherto?.q ?? [];
  track.on = self.hitherto?.on + counter;
  self.hitherto = track;
  if (off) console.info('Hitherto is off:', off);
  countPage();
  for (const call of kept) track(...call);
}

// For the package @hitherto/tracker; the script has no exports.
export { countPage, track };
