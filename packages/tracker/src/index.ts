import { start } from './start.js';

export interface TrackerOptions {
  /** The website's id. */
  readonly website: string;
  /** The address that receives hits, such as `https://stats.example/hits`. */
  readonly endpoint: string;
  /** Whether fragments that begin with `#/` or `#!/` are pages too. */
  readonly hash?: boolean;
  /** Whether pages of this machine, such as `localhost`, are counted. */
  readonly local?: boolean;
  /** Whether browsers that send DNT or GPC are left out. */
  readonly dnt?: boolean;
  /** Whether the storage of the browser is not even read; people cannot exclude their own browser then. */
  readonly nostorage?: boolean;
}

/** The properties of an event. */
export type EventProperties = Readonly<Record<string, string | number | boolean>>;

type Tracker = ReturnType<typeof start>;

let tracker: Tracker | undefined;
const events: Parameters<Tracker['track']>[] = [];

/**
 * Counts this page, and each one that a router shows, by the rules of the script `/script.js`. Later calls do nothing, nor do calls
 * on a server.
 */
export function init({ website, endpoint, ...flags }: TrackerOptions): void {
  if (tracker !== undefined || isServer()) return;
  const attributes = Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [[name, '']] : []));
  tracker = start({ src: '', dataset: { website, endpoint, ...Object.fromEntries(attributes) } });
  for (const event of events.splice(0)) tracker.track(...event);
}

/** Counts the page if its address has changed since it was counted, for routers that do not use the history of the browser. */
export function trackPageview(): void {
  tracker?.countPage();
}

/** Sends an event. Events from before `init` are sent then. */
export function trackEvent(name: string, properties?: EventProperties): void {
  if (tracker !== undefined) tracker.track(name, properties);
  else if (!isServer()) events.push([name, properties]);
}

function isServer(): boolean {
  return typeof document === 'undefined';
}
