import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** How pages have a tracker, and how a person who uses it says what happens. */
export interface WalkedTracker {
  readonly name: string;
  /** The genuine script, if it must be brought along. */
  readonly file?: Genuine;
  /** HTML in the head of every page. */
  readonly head: (stats: string) => string;
  /** A statement that the page runs after it has changed its address, where the tracker does not notice. */
  readonly afterNavigation?: string;
  /** A statement that sends the event `Signup` with the property `plan`. */
  readonly signUp: string;
  /** The attributes of a button that sends the event `Click`. */
  readonly button?: string;
  /** The steps that this product does not count. */
  readonly cannot: readonly Step[];
}

/** What a step of the walk counts, by page and event. */
export const STEPS = {
  entry: '/a',
  push: '/b',
  event: '/b Signup',
  query: '/c?x=1',
  back: '/b',
  outbound: '/b Outbound link',
  download: '/b Download',
  click: '/b Click',
  load: '/d',
  campaign: '/%C3%A9',
} as const;

export type Step = keyof typeof STEPS;

const require = createRequire(import.meta.url);

/** A file of a package, as it was published. */
function published(path: string): string {
  const [scope = '', name = ''] = path.split('/');
  const folder = scope.startsWith('@') ? `${scope}/${name}` : scope;
  const rest = path.slice(folder.length + 1);
  return readFileSync(join(dirname(require.resolve(`${folder}/package.json`)), rest), 'utf8');
}

/**
 * A folder with `matomo.js` and `count.js` as Matomo and GoatCounter publish them. They are on no package registry that the
 * suite installs from, so they are walked with only where somebody has put them there.
 */
const GENUINE_FOLDER = process.env.GENUINE_TRACKERS ?? '';
const GENUINE: readonly Genuine[] = GENUINE_FOLDER === '' ? [] : ['matomo.js', 'count.js'];

type Genuine = 'matomo.js' | 'count.js';

/** The files below `/lib/` of the site. */
export async function libraryFiles(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    stdin: {
      contents: "import Tracker from '@jonkoops/matomo-tracker'; window.MatomoTracker = Tracker;",
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
  });
  return new Map([
    ...GENUINE.map((name) => [name, readFileSync(join(GENUINE_FOLDER, name), 'utf8')] as const),
    ['umami.js', published('umami/src/tracker/index.js')],
    ['matomo-tracker.js', outputFiles[0]?.text ?? ''],
    ['plausible.mjs', readFileSync(require.resolve('@plausible-analytics/tracker'), 'utf8')],
  ]);
}

export const SITE_ID = 'f3a1c6a0-2b5e-4f9b-9d3f-6f0f3f4f1001';
export const ALIASES = [SITE_ID, 'site.test', 'pa-Xy_1', 'matomo:3', 'goatcounter:blog'];

const PLAUSIBLE_CLASS = 'class="plausible-event-name=Click"';
const PLAUSIBLE_STUB =
  'window.plausible=window.plausible||function(){(plausible.q=plausible.q||[]).push(arguments)},plausible.init=plausible.init||function(i){plausible.o=i||{}};';
const PAQ = 'window._paq=window._paq||[];';
const MATOMO_PAGE = "_paq.push(['setCustomUrl',location.href],['trackPageView'])";
const UMAMI_BUTTON = 'data-umami-event="Click"';

const ALL_TRACKERS: readonly WalkedTracker[] = [
  {
    name: 'our own',
    head: (stats) => `<script defer src="${stats}/script.js" data-website="${SITE_ID.replace(/.*/, 'ID')}"></script>`,
    signUp: "hitherto('Signup', { plan: 'pro' })",
    button: 'data-hitherto-event="Click"',
    cannot: [],
  },
  {
    name: 'Umami, its own script',
    head: (stats) =>
      `<script defer src="/lib/umami.js" data-host-url="${stats}" data-website-id="${SITE_ID}"></script>`,
    signUp: "umami.track('Signup', { plan: 'pro' })",
    button: UMAMI_BUTTON,
    cannot: ['back', 'outbound', 'download'],
  },
  {
    name: 'Umami, our script under its name',
    head: (stats) => `<script defer src="${stats}/script.js" data-website-id="${SITE_ID}"></script>`,
    signUp: "umami.track('Signup', { plan: 'pro' })",
    button: UMAMI_BUTTON,
    cannot: ['outbound', 'download'],
  },
  {
    name: 'Plausible, its own package',
    head: (stats) => `<script type="module">
      import { init, track } from '/lib/plausible.mjs';
      init({ domain: 'site.test', endpoint: '${stats}/api/event', outboundLinks: true, fileDownloads: true });
      window.track = track;</script>`,
    signUp: "track('Signup', { props: { plan: 'pro' } })",
    button: PLAUSIBLE_CLASS,
    cannot: [],
  },
  {
    name: 'Plausible, our script under the name of one with extensions',
    head: (stats) =>
      `<script defer data-domain="site.test" src="${stats}/js/script.outbound-links.file-downloads.tagged-events.js"></script>`,
    signUp: "plausible('Signup', { props: { plan: 'pro' } })",
    button: PLAUSIBLE_CLASS,
    cannot: [],
  },
  {
    name: 'Plausible, our script under the name of one with an id',
    head: (stats) =>
      `<script async src="${stats}/js/pa-Xy_1.js"></script><script>${PLAUSIBLE_STUB}plausible.init()</script>`,
    signUp: "plausible('Signup', { props: { plan: 'pro' } })",
    button: PLAUSIBLE_CLASS,
    cannot: [],
  },
  {
    name: 'Matomo, our script under its name, by its snippet',
    head: (stats) => `<script>${PAQ}_paq.push(['trackPageView'],['enableLinkTracking'],['setUserId','é']);
      (function(){var u='${stats}/';_paq.push(['setTrackerUrl',u+'matomo.php']);_paq.push(['setSiteId','3']);
      var d=document,g=d.createElement('script');g.async=true;g.src=u+'matomo.js';d.head.append(g)})()</script>`,
    afterNavigation: MATOMO_PAGE,
    signUp: "_paq.push(['trackEvent', 'Forms', 'Signup', 'plan', 7])",
    button: `onclick="_paq.push(['trackEvent', 'Buttons', 'Click'])"`,
    cannot: [],
  },
  {
    name: 'Matomo, its own script',
    file: 'matomo.js',
    head: (stats) => `<script>${PAQ}_paq.push(['trackPageView'],['enableLinkTracking'],['setUserId','é']);
      _paq.push(['setTrackerUrl','${stats}/matomo.php'],['setSiteId','3']);</script>
      <script async src="/lib/matomo.js"></script>`,
    afterNavigation: MATOMO_PAGE,
    signUp: "_paq.push(['trackEvent', 'Forms', 'Signup', 'plan', 7])",
    button: `onclick="_paq.push(['trackEvent', 'Buttons', 'Click'])"`,
    cannot: [],
  },
  {
    name: 'Matomo, by a package for it',
    head: (stats) => `<script src="/lib/matomo-tracker.js"></script><script>
      window.tracker = new MatomoTracker({ urlBase: '${stats}', siteId: 3 }); tracker.trackPageView()</script>`,
    afterNavigation: 'tracker.trackPageView()',
    signUp: "tracker.trackEvent({ category: 'Forms', action: 'Signup' })",
    button: `onclick="tracker.trackEvent({ category: 'Buttons', action: 'Click' })"`,
    cannot: [],
  },
  {
    name: 'GoatCounter, its own script',
    file: 'count.js',
    head: (stats) => `<script data-goatcounter="${stats}/count/blog" async src="/lib/count.js"></script>`,
    afterNavigation: 'goatcounter.count({ path: location.pathname + location.search })',
    signUp: "goatcounter.count({ path: 'Signup', event: true })",
    button: 'data-goatcounter-click="Click"',
    cannot: ['outbound', 'download'],
  },
  {
    name: 'GoatCounter, our script under its name',
    head: (stats) => `<script data-goatcounter="${stats}/count/blog" async src="${stats}/count.js"></script>`,
    afterNavigation: 'goatcounter.count({ path: location.pathname + location.search })',
    signUp: "goatcounter.count({ path: 'Signup', event: true })",
    button: 'data-goatcounter-click="Click"',
    cannot: ['outbound', 'download'],
  },
];

export const TRACKERS = ALL_TRACKERS.filter(({ file }) => file === undefined || GENUINE.includes(file));
