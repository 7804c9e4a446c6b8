// The tracker: runs in browsers, on other people's pages (statistics.md, section 8). Built by build.mjs; a test bounds its size.

type Props = Readonly<Record<string, string | number | boolean>>;

interface Track {
  (name: string, props?: Props): void;
  /** The calls that a stub has kept until this script loads. */
  readonly q?: readonly Parameters<Track>[];
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
  /\.(pdf|zip|rar|7z|t?gz|tar|dmg|pkg|exe|msi|deb|rpm|apk|iso|docx?|xlsx?|pptx?|od[tsp]|csv|rtf|epub|mp[34])$/i;

// A classic script has an element while it runs.
const { dataset, src } = document.currentScript as HTMLScriptElement;
const endpoint = dataset.endpoint || new URL('hits', src);
const isOff =
  (!('local' in dataset) && (location.protocol === 'file:' || LOCAL_HOST.test(location.hostname))) ||
  ('dnt' in dataset && (navigator.doNotTrack === '1' || navigator.globalPrivacyControl));
/** The part of an address that makes no other page. */
const anchor = 'hash' in dataset ? /#(?!!?\/).*/ : /#.*/;

let counted = '';
let { referrer } = document;

const addressOf = (): string => location.href.replace(anchor, '').slice(0, 4096);

const send = (name?: string, props?: Props): void => {
  if (isOff) return;
  try {
    if (localStorage['hitherto-ignore'] != null) return;
  } catch {
    // Storage is forbidden here.
  }
  const body = JSON.stringify({
    website: dataset.website,
    url: addressOf(),
    referrer: referrer.slice(0, 2048),
    name,
    props,
    automated: navigator.webdriver || undefined,
  });
  let retries = 2;
  const attempt = () => {
    fetch(endpoint, { method: 'POST', body, keepalive: true, credentials: 'omit' }).then(
      ({ status, headers }) => {
        const seconds = headers.get('Retry-After');
        // Any other failure may have been counted.
        if (status === 503 && seconds && retries--) setTimeout(attempt, +seconds * 1000);
      },
      () => {},
    );
  };
  attempt();
};

const countPage = (): void => {
  const address = addressOf();
  if (document.hidden || address === counted) return;
  send();
  referrer = counted = address;
};

const track: Track = (name, props) => {
  // The requests of a page that is not shown yet are dropped.
  if (document.prerendering) addEventListener('prerenderingchange', () => send(name, props), true);
  else send(name, props);
};

for (const method of ['pushState', 'replaceState'] as const) {
  const original = history[method];
  history[method] = (...args) => {
    original.apply(history, args);
    countPage();
  };
}

for (const type of ['popstate', 'visibilitychange', 'prerenderingchange']) addEventListener(type, countPage, true);
addEventListener('pageshow', ({ persisted }) => {
  // The back-forward cache shows the page once more.
  if (persisted) counted = '';
  countPage();
});

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
window.hitherto = track;
countPage();
for (const call of kept) track(...call);
