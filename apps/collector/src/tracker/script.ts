// The tracker: runs in browsers, on other people's pages (statistics.md, section 8). Built by build.mjs; a test bounds its size.

type Props = Readonly<Record<string, string | number | boolean>>;

interface Track {
  (name: string, props?: Props): void;
  /** The calls that a stub has kept until this script loads. */
  readonly q?: readonly Parameters<Track>[];
  /** Endpoint and website of each script that counts this page. */
  on?: string;
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

const LOCAL_HOST = /(^|\.)localhost$|^127\.[\d.]+$|^\[::1]$/;
const FILE =
  /\.(pdf|zip|rar|7z|t?gz|tar|dmg|pkg|exe|msi|deb|rpm|apk|iso|(doc|xls|ppt)x?|od[tsp]|csv|rtf|epub|mp[34])$/i;

// A classic script has an element while it runs.
const { dataset, src } = document.currentScript as HTMLScriptElement;
const endpoint = dataset.endpoint || new URL('hits', src);
const isOff =
  !/^http/.test(location.protocol) ||
  (!('local' in dataset) && LOCAL_HOST.test(location.hostname)) ||
  ('dnt' in dataset && (navigator.doNotTrack === '1' || navigator.globalPrivacyControl));
/** What this script counts, and where. */
const counter = endpoint + String(dataset.website);
/** The part of an address that makes no other page. */
const anchor = 'hash' in dataset ? /#(?!!?\/).*/ : /#.*/;

let counted = '';
let { referrer } = document;

const addressOf = (): string => location.href.replace(anchor, '').slice(0, 4096);

/** Sends a hit. It never fails: the page must not notice. */
const send = async (name?: string, props?: Props): Promise<void> => {
  if (isOff) return;
  try {
    if ('hitherto-ignore' in localStorage) return;
  } catch {
    // Storage is forbidden here.
  }
  try {
    const body = JSON.stringify({
      website: dataset.website,
      url: addressOf(),
      referrer: referrer.slice(0, 2048),
      name,
      props,
      automated: navigator.webdriver || undefined,
    });
    for (let tries = 3; tries--; ) {
      const { status, headers } = await fetch(endpoint, { method: 'POST', body, keepalive: true, credentials: 'omit' });
      const seconds = headers.get('Retry-After');
      // Any other failure may have been counted.
      if (status !== 503 || !seconds) return;
      await new Promise((resolve) => setTimeout(resolve, +seconds * 1000));
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
  if (document.prerendering) addEventListener('prerenderingchange', () => void send(name, props), true);
  else void send(name, props);
};

// A page may have the snippet twice, and some frameworks run its scripts again: it is counted once.
if (!window.hitherto?.on?.includes(counter)) {
  for (const method of ['pushState', 'replaceState'] as const) {
    const original = history[method];
    history[method] = (...args) => {
      original.apply(history, args);
      countPage();
    };
  }

  for (const type of ['popstate', 'visibilitychange', 'prerenderingchange', 'pageshow']) {
    addEventListener(
      type,
      ({ persisted }: Event & { readonly persisted?: boolean }) => {
        // The back-forward cache shows the page once more.
        if (persisted) counted = '';
        countPage();
      },
      true,
    );
  }

  for (const type of ['click', 'auxclick'] as const) {
    addEventListener(
      type,
      (event) => {
        // From the element that was clicked outwards, through open shadow roots too.
        const path = event.composedPath() as Element[];
        const closest = (selector: string) => path.find((node) => node.matches?.(selector));
        const link = closest('a,area') as HTMLAnchorElement | undefined;
        // The middle button opens links, and nothing else.
        if (event.button > (link ? 1 : 0)) return;
        const name = (closest('[data-hitherto-event]') as HTMLElement | undefined)?.dataset.hithertoEvent;
        if (name) {
          track(name);
        } else if (link && /^http/.test(link.protocol)) {
          const { hostname, pathname } = link;
          const isFile = FILE.test(pathname);
          if (isFile || hostname !== location.hostname) {
            track(isFile ? 'Download' : 'Outbound link', { url: (hostname + pathname).slice(0, 200) });
          }
        }
      },
      true,
    );
  }

  const kept = window.hitherto?.q ?? [];
  track.on = window.hitherto?.on + counter;
  window.hitherto = track;
  countPage();
  for (const call of kept) track(...call);
}
