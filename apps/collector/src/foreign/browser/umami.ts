// Umami's snippet: umami.js, and what script.js loads on a page whose script has data-website-id (docs/switch/umami.md).
import { countPages, folderOf, isIgnored, onClicks, onceShown, ownScript, post, type Values } from './core.ts';

interface Umami {
  track(name?: string | Values | ((payload: Values) => Values), data?: Values): Promise<void>;
  identify(): Promise<void>;
}

declare global {
  interface Window {
    umami?: Umami;
  }
}

const EVENT = 'umamiEvent';
const script = ownScript('script[data-website-id]');

function start({ dataset, src }: HTMLScriptElement): void {
  const { websiteId: website, tag } = dataset;
  const host = location.hostname;
  const domains = (dataset.domains ?? '').split(',').map((name) => name.trim());
  const isElsewhere = Boolean(dataset.domains) && !domains.includes(host);
  const asksNot = dataset.doNotTrack === 'true' && navigator.doNotTrack === '1';
  const endpoint = `${dataset.hostUrl ? `${dataset.hostUrl.replace(/\/$/, '')}/` : folderOf(src)}api/send`;
  // Like Umami, it counts local pages; data-domains says which hosts count.
  const isOff = () => isElsewhere || asksNot || isIgnored(true, 'umami.disabled');

  const addressOf = (): string => {
    const url = new URL(location.href);
    if (dataset.excludeSearch === 'true') url.search = '';
    if (dataset.excludeHash === 'true' || !/^#!?\//.test(url.hash)) url.hash = '';
    return url.href.slice(0, 4096);
  };
  const payloadOf = (url: string, referrer: string): Values => ({
    website,
    hostname: host,
    language: navigator.language,
    title: document.title,
    url,
    referrer: referrer.slice(0, 2048),
    tag,
    automated: navigator.webdriver || undefined,
  });
  const send = async (payload: Values | undefined): Promise<void> => {
    if (payload === undefined || payload === null || isOff()) return;
    const before = dataset.beforeSend === undefined ? undefined : Reflect.get(window, dataset.beforeSend);
    const sent: unknown = typeof before === 'function' ? await before('event', payload) : payload;
    if (sent) await post(endpoint, { type: 'event', payload: sent });
  };

  const track: Umami['track'] = async (name, data) => {
    const payload = payloadOf(addressOf(), document.referrer);
    if (typeof name === 'string') return send({ ...payload, name: name.slice(0, 50), data });
    if (typeof name === 'function') return send(name(payload));
    return send(typeof name === 'object' ? { website, hostname: host, ...name } : payload);
  };
  if (window.umami !== undefined) return;
  window.umami = { track, identify: async () => {} };

  if (dataset.autoTrack === 'false') return;
  onClicks(({ path }) => {
    const element = path.find(
      (node): node is HTMLElement => node instanceof HTMLElement && Boolean(node.dataset[EVENT]),
    );
    if (element === undefined) return;
    const data: Record<string, string | null> = {};
    for (const { name, value } of element.attributes) {
      const [, property] = /^data-umami-event-(.+)$/.exec(name) ?? [];
      if (property !== undefined) data[property] = value;
    }
    onceShown(() => void track(element.dataset[EVENT], data));
  });
  countPages(
    addressOf,
    (url, referrer, sameDocument) =>
      void send({ ...payloadOf(url, referrer), same_document: sameDocument || undefined }),
  );
}

if (script !== undefined) start(script);
