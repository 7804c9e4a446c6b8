// Measures how a pageview is looked at (tracker.md): the tracker loads this once the server has asked for it.

/** A pageview that is measured. */
interface View {
  readonly view: number;
  /** When it was, by `performance.now()`. */
  readonly since: number;
  /** In which it was visible and had the focus so far, in milliseconds. */
  active: number;
  /** The lowest edge that was visible, and the height of the document then, in pixels. */
  edge: number;
  height: number;
  /** The totals that were sent last; none at first. */
  sent?: { readonly seconds: number; readonly scroll: number };
}

/** Smaller changes are not worth a message. */
const WORTH = 5;
const MAX_SECONDS = 1_800;
const MAX_AGE_MS = 86_400_000;
/** After so long, an address that the server does not count as another page is one of the same. */
const SAME_PAGE_MS = 3_000;

const addressOf = () => location.pathname + location.search;
const isLookedAt = () => !document.hidden && document.hasFocus();

let current: View | undefined;
let endpoint: string | URL;
let website: string;
/** When `current.active` was added up last, and whether the page is looked at since. */
let last = 0;
let active = false;
let address = '';
let renaming: ReturnType<typeof setTimeout> | undefined;

/** Adds the time up to a moment. */
function count(now: number): void {
  if (current && active) current.active += Math.max(0, now - last);
  last = now;
  active = isLookedAt();
}

/** Looks how far down the page is visible. A router changes the address first, and then the page: the next one is not this one's. */
function look(): void {
  if (!current || document.hidden) return;
  if (addressOf() !== address) {
    renaming ??= setTimeout(() => {
      renaming = undefined;
      address = addressOf();
      look();
    }, SAME_PAGE_MS);
    return;
  }
  current.edge = Math.max(current.edge, scrollY + innerHeight);
  current.height = document.documentElement.scrollHeight;
}

/** Sends the totals of the view if they are worth it. They never fail: the page must not notice. */
function send(): void {
  if (!current) return;
  const seconds = Math.min(MAX_SECONDS, Math.round(current.active / 1_000));
  const scroll = Math.min(100, Math.round((100 * current.edge) / (current.height || 1)));
  const age = Math.round(performance.now() - current.since);
  const { sent } = current;
  if (age > MAX_AGE_MS || (sent && seconds - sent.seconds < WORTH && scroll - sent.scroll < WORTH)) return;
  current.sent = { seconds, scroll };
  const body = JSON.stringify({ website, view: current.view, seconds, scroll, age: Math.max(0, age) });
  fetch(endpoint, { method: 'POST', body, keepalive: true, credentials: 'omit' }).catch(() => {});
}

function start(): void {
  const on = (types: readonly string[], listener: (event: Event) => void) => {
    for (const type of types) addEventListener(type, listener, { capture: true, passive: true });
  };
  on(['visibilitychange', 'pagehide', 'focus', 'blur'], ({ type }) => {
    count(performance.now());
    if (document.hidden || type === 'pagehide') send();
    else look();
  });
  on(['scroll', 'resize', 'load'], look);
  // Pages grow as they load, without any of these.
  new ResizeObserver(look).observe(document.documentElement);
}

/**
 * Begins to measure a pageview, and ends what was measured before.
 *
 * @param hit what was sent of it
 * @param to where it was sent
 * @param sent when, by `Date.now()`
 */
export default function measure(hit: string, to: string | URL, sent: number): void {
  const { website: of, view } = JSON.parse(hit);
  const since = performance.now() - (Date.now() - sent);
  if (current) {
    // Until then, it was the page before that was looked at.
    count(since);
    send();
  } else start();
  [endpoint, website] = [to, of];
  clearTimeout(renaming);
  renaming = undefined;
  current = { view, since, active: 0, edge: 0, height: 0 };
  address = addressOf();
  last = since;
  active = isLookedAt();
  look();
}
