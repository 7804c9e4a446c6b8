// In the place of matomo.js and piwik.js: runs the common commands of `_paq` (docs/switch/matomo.md).
import { isIgnored, onClicks, onceShown, ownScript, post } from './core.ts';

type Command = readonly [string | ((this: unknown) => void), ...unknown[]];

interface Queue {
  push(...commands: readonly Command[]): void;
}

declare global {
  interface Window {
    _paq?: readonly Command[] | Queue;
  }
}

const script = ownScript('script[src*="matomo.js"], script[src*="piwik.js"]');

function start(src: string): void {
  let endpoint = src.replace(/(matomo|piwik)\.js.*$/, '$1.php');
  let site = '';
  let url: string | undefined;
  let referrer: string | undefined;
  let followsLinks = false;
  let lastPage = '';

  const text = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const send = (parameters: Readonly<Record<string, string>>): void => {
    if (isIgnored(true)) return;
    const page = url === undefined ? location.href.replace(/#(?!!?\/).*/, '') : new URL(url, location.href).href;
    const from = referrer ?? (lastPage || document.referrer);
    const query = new URLSearchParams({
      idsite: site,
      rec: '1',
      url: page.slice(0, 4096),
      urlref: from.slice(0, 2048),
    });
    for (const [name, value] of Object.entries(parameters)) if (value !== '') query.set(name, value);
    if (navigator.webdriver) query.set('automated', '1');
    query.set('send_image', '0');
    onceShown(() => void post(`${endpoint}${endpoint.includes('?') ? '&' : '?'}${query}`));
  };

  /** Commands of one tracker; all others are ignored. */
  const commands: Readonly<Record<string, (...args: readonly unknown[]) => void>> = {
    setTrackerUrl: (value) => {
      endpoint = new URL(text(value), src).href;
    },
    setSiteId: (value) => {
      site = text(value);
    },
    setCustomUrl: (value) => {
      url = text(value) || undefined;
    },
    setReferrerUrl: (value) => {
      referrer = text(value) || undefined;
    },
    trackPageView: () => {
      send({});
      lastPage = url ?? location.href;
      referrer = undefined;
    },
    // Without their first parameters, the server would take these commands for pageviews.
    trackEvent: (category, action, name, value) => {
      if (String(category).trim() === '' || text(action).trim() === '') return;
      send({ e_c: text(category), e_a: text(action), e_n: text(name), e_v: text(value) });
    },
    trackSiteSearch: (keyword, category, count) =>
      send({ search: text(keyword), search_cat: text(category), search_count: text(count) }),
    trackGoal: (goal, revenue) => {
      if (text(goal) !== '') send({ idgoal: text(goal), revenue: text(revenue) });
    },
    trackLink: (address, kind) => {
      if (text(address) !== '') send({ [kind === 'download' ? 'download' : 'link']: text(address) });
    },
    enableLinkTracking: () => {
      if (followsLinks) return;
      followsLinks = true;
      onClicks(({ link, leadsTo }) => {
        if (link === undefined || leadsTo === undefined) return;
        send({ [leadsTo === 'file' ? 'download' : 'link']: link.href });
      });
    },
  };

  const run = ([name, ...args]: Command): void => {
    try {
      if (typeof name === 'function') name.call(window);
      // Names of further trackers stand before a dot.
      else commands[name.replace(/^.*\./, '')]?.(...args);
    } catch {
      // The page must not notice.
    }
  };

  const { _paq: kept = [] } = window;
  if (!Array.isArray(kept)) return;
  // As with Matomo, the settings of the tracker come before anything that sends.
  const isSetting = ([name]: Command): boolean =>
    typeof name === 'string' && /^(set|enable)/.test(name) && !/^set(Custom|Referrer)Url$/.test(name);
  const all: readonly Command[] = kept;
  window._paq = { push: (...more) => more.forEach(run) };
  for (const command of all) if (isSetting(command)) run(command);
  for (const command of all) if (!isSetting(command)) run(command);
}

if (script !== undefined) start(script.src);
