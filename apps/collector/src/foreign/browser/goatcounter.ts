// In the place of GoatCounter's count.js (docs/switch/goatcounter.md).
import { isIgnored, onceShown, ownScript, post, type Values } from './core.ts';

type Field = string | null | undefined | ((value: string) => string | null);

interface Vars {
  readonly path?: Field;
  readonly title?: Field;
  readonly referrer?: Field;
  readonly event?: boolean;
}

interface Goatcounter extends Vars {
  endpoint?: string;
  no_onload?: boolean;
  no_events?: boolean;
  allow_local?: boolean;
  allow_frame?: boolean;
  count?: (vars?: Vars) => void;
  url?: (vars?: Vars) => string | undefined;
  filter?: () => string | false;
  bind_events?: () => void;
  get_query?: (name: string) => string | undefined;
}

declare global {
  interface Window {
    goatcounter?: Goatcounter;
  }
}

const SETTINGS = ['no_onload', 'no_events', 'allow_local', 'allow_frame', 'path', 'title', 'referrer', 'event'];
const AUTOMATED = 153;
/** Set in a browser whose visits are not counted. */
const SKIP = 'skipgc';
const script = ownScript('script[data-goatcounter]');

function start({ dataset }: HTMLScriptElement): void {
  const goat: Goatcounter = window.goatcounter ?? {};
  window.goatcounter = goat;
  try {
    const settings: Values = JSON.parse(dataset.goatcounterSettings ?? '{}');
    for (const [name, value] of Object.entries(settings)) if (SETTINGS.includes(name)) Reflect.set(goat, name, value);
  } catch {
    // Settings that are not JSON count as none.
  }

  const resolve = (field: Field, own: string): string | null => {
    if (typeof field === 'function') return field(own);
    return field ?? own;
  };
  const pathOf = (): string => {
    const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"][href]');
    // Of a malformed address, a link has an empty host.
    const link = document.createElement('a');
    link.href = canonical?.href ?? location.href;
    const bare = (host: string) => host.replace(/^www\./, '');
    const { pathname, search } = bare(link.hostname) === bare(location.hostname) ? link : location;
    return pathname + search || '/';
  };

  goat.filter = () => {
    if (!goat.allow_frame && window !== window.parent) return 'frame';
    return isIgnored(goat.allow_local === true, SKIP) ? 'ignored' : false;
  };
  goat.url = (vars = {}) => {
    const path = resolve(vars.path === undefined ? goat.path : vars.path, pathOf());
    const endpoint = dataset.goatcounter ?? goat.endpoint;
    if (path === null || endpoint === undefined) return undefined;
    const fields = {
      p: path,
      r: resolve(vars.referrer === undefined ? goat.referrer : vars.referrer, document.referrer) ?? '',
      t: resolve(vars.title === undefined ? goat.title : vars.title, document.title) ?? '',
      e: vars.event || goat.event ? 'true' : '',
      b: navigator.webdriver ? String(AUTOMATED) : '0',
      q: location.search,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) if (value !== '') query.set(name, value);
    return `${endpoint}?${query}`;
  };
  goat.count = (vars) => {
    const url = goat.filter?.() ? undefined : goat.url?.(vars);
    if (url !== undefined) void post(new URL(url, location.href).href);
  };
  goat.get_query = (name) => new URLSearchParams(location.search).get(name) ?? undefined;
  goat.bind_events = () => {
    for (const element of document.querySelectorAll<HTMLElement>('[data-goatcounter-click]')) {
      if (element.dataset.goatcounterBound) continue;
      element.dataset.goatcounterBound = 'true';
      const { goatcounterClick: path, goatcounterTitle: title, goatcounterReferrer: referrer = '' } = element.dataset;
      const count = () =>
        goat.count?.({ event: true, path: path || element.getAttribute('name') || element.id, title, referrer });
      element.addEventListener('click', count);
      element.addEventListener('auxclick', count);
    }
  };

  if (location.hash === '#toggle-goatcounter') {
    const isOn = localStorage.getItem(SKIP) !== null;
    if (isOn) localStorage.removeItem(SKIP);
    else localStorage.setItem(SKIP, 't');
    alert(`Visits of this browser are ${isOn ? '' : 'no longer '}counted.`);
  }

  const onLoad = (): void => {
    if (goat.no_onload) return;
    const countShown = () => {
      if (document.hidden) document.addEventListener('visibilitychange', countShown, { once: true });
      else onceShown(() => goat.count?.());
    };
    countShown();
    if (!goat.no_events) goat.bind_events?.();
  };
  if (document.body === null) document.addEventListener('DOMContentLoaded', onLoad);
  else onLoad();
}

if (script !== undefined) start(script);
